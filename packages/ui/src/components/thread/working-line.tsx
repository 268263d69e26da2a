// What the agent is doing right now, in words, and for how long: its state is never a mystery.
import type { ThreadView, TimelineItem } from "@signalbox/protocol";
import { useNow } from "../../hooks/use-now.ts";

export function WorkingLine({ view }: { view: ThreadView }) {
  const isRunning = view.thread.status === "running";
  const now = useNow(isRunning);
  if (!isRunning) return null;
  const doing = doingOf(view);
  const seconds = Math.floor((now - doing.since) / 1000);
  return (
    <p className="working">
      <span className="pulse" aria-hidden="true" />
      {doing.words}
      {seconds >= 2 && ` for ${seconds} s`}
    </p>
  );
}

function doingOf({ timeline, turns, thread }: ThreadView): { words: string; since: number } {
  const turn = turns.findLast((row) => row.status === "running");
  const begun = turn?.started_at ?? thread.updated_at;
  const running = timeline.findLast((item) => item.type === "tool_call" && item.status === "in_progress");
  if (running?.type === "tool_call") {
    return { words: `Running ${running.title.replaceAll("`", "")}`, since: running.started_at ?? running.created_at };
  }
  const last = timeline.at(-1);
  if (last === undefined || isPrompt(last)) return { words: "Waiting for the agent's first word", since: begun };
  if (last.type === "message" && last.partial) {
    return { words: last.kind === "reason" ? "Thinking" : "Writing", since: last.created_at };
  }
  const since = last.type === "message" ? last.updated_at : (last.ended_at ?? last.created_at);
  return { words: "Working", since };
}

const isPrompt = (item: TimelineItem) => item.type === "message" && item.role === "user";
