// Says in a few words what a working agent does now, and since when.
import { duration, type ThreadView, type TimelineItem } from "@signalbox/protocol";

type Work = Pick<ThreadView, "timeline" | "turns" | "thread">;

interface Activity {
  readonly label: string;
  readonly since: number;
}

export function describeActivity({ timeline, turns, thread }: Work): Activity {
  const turn = turns.findLast((row) => row.status === "running");
  const startedAt = turn?.started_at ?? thread.updated_at;
  const running = timeline.findLast((item) => item.type === "tool_call" && item.status === "in_progress");
  if (running?.type === "tool_call") {
    const since = running.started_at ?? running.created_at;
    const title = running.title.replaceAll("`", "").split("\n")[0] ?? "";
    // Some agents write the verb into the title.
    return { label: /^running\b/i.test(title) ? title : `Running ${title}`, since };
  }
  const last = timeline.at(-1);
  if (last === undefined || isPrompt(last)) return { label: "Waiting for the agent", since: startedAt };
  if (last.type === "message" && last.partial) {
    return { label: last.kind === "reason" ? "Thinking" : "Writing", since: last.created_at };
  }
  return { label: "Working", since: last.type === "message" ? last.updated_at : (last.ended_at ?? last.created_at) };
}

/** "12 s", "1 min 12 s"; nothing for the first two seconds. */
export function formatElapsed(ms: number): string {
  if (ms < 2000) return "";
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : duration(ms);
}

const isPrompt = (item: TimelineItem) => item.type === "message" && item.role === "user";
