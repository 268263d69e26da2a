// A small chart of tool calls by minute, with failures marked: it shows whether the agent makes progress.
import { nestHostItems, type TimelineItem } from "@signalbox/protocol";
import { useMemo } from "react";

const bars = 16;

export function CallsByMinute({ timeline }: { timeline: readonly TimelineItem[] }) {
  const minutes = useMemo(() => countByMinute(timeline), [timeline]);
  if (minutes.length < 2) return null;
  const maxCalls = Math.max(...minutes.map(({ calls }) => calls), 1);
  const total = minutes.reduce((sum, { calls }) => sum + calls, 0);
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  return (
    <section>
      <h2>Tool calls by minute</h2>
      <div
        className="bars"
        role="img"
        aria-label={`${total} tool calls in ${minutes.length} minutes, ${failed} failed`}
      >
        {minutes.map(({ minute, calls, failed: bad }) => (
          <i
            key={minute}
            data-failed={bad > 0 || undefined}
            style={{ height: `${Math.max(calls === 0 ? 2 : 8, (calls / maxCalls) * 100)}%` }}
          />
        ))}
      </div>
    </section>
  );
}

function countByMinute(timeline: readonly TimelineItem[]) {
  const calls = nestHostItems(timeline).items.filter((item) => item.type === "tool_call");
  const last = Math.floor((calls.at(-1)?.created_at ?? 0) / 60_000);
  const first = Math.max(last - bars + 1, Math.floor((calls[0]?.created_at ?? 0) / 60_000));
  const minutes = Array.from({ length: calls.length === 0 ? 0 : last - first + 1 }, (_, index) => ({
    minute: first + index,
    calls: 0,
    failed: 0,
  }));
  for (const call of calls) {
    const minute = minutes[Math.floor(call.created_at / 60_000) - first];
    if (minute === undefined) continue;
    minute.calls++;
    if (call.type === "tool_call" && call.status === "failed") minute.failed++;
  }
  return minutes;
}
