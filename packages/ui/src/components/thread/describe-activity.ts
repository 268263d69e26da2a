// Says what the agent of a running turn does now, and when it has said nothing for so long that a person wonders.
import type { ThreadView, TimelineItem } from "@signalbox/protocol";

interface Activity {
  readonly label: string;
  readonly since: number;
  /** When the agent last sent something; null while a tool call runs, which may take its time. */
  readonly silentSince: number | null;
}

const silentMs = 20_000;

export function describeActivity({
  timeline,
  turns,
  thread,
}: Pick<ThreadView, "timeline" | "turns" | "thread">): Activity {
  const turn = turns.findLast((row) => row.status === "running");
  const startedAt = turn?.started_at ?? thread.updated_at;
  const running = timeline.findLast((item) => item.type === "tool_call" && item.status === "in_progress");
  if (running?.type === "tool_call") {
    const title = running.title.replaceAll("`", "");
    return {
      label: /^running\b/i.test(title) ? title : `Running ${title}`,
      since: running.started_at ?? running.created_at,
      silentSince: null,
    };
  }
  const last = timeline.at(-1);
  if (last === undefined || isPrompt(last)) {
    return { label: "Waiting for the agent", since: startedAt, silentSince: startedAt };
  }
  if (last.type === "message" && last.partial) {
    const label = last.kind === "reason" ? "Thinking" : "Writing";
    return { label, since: last.created_at, silentSince: last.updated_at };
  }
  const since = last.type === "message" ? last.updated_at : (last.ended_at ?? last.created_at);
  return { label: "Working", since, silentSince: since };
}

/** Null while the agent was not silent for long. */
export function describeSilence(silentSince: number | null, now: number): string | null {
  if (silentSince === null || now - silentSince < silentMs) return null;
  const seconds = Math.floor((now - silentSince) / 1000);
  const time = seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return ` · nothing from the agent for ${time}. It may be thinking, or trying its model again after a limit or an error: some agents do that for minutes.`;
}

const isPrompt = (item: TimelineItem) => item.type === "message" && item.role === "user";
