// Says in a few words what a working agent does now and since when, and what is likely when it has been silent for long.
import { duration, type ThreadView, type TimelineItem } from "@signalbox/protocol";

type Work = Pick<ThreadView, "timeline" | "turns" | "thread">;

interface Activity {
  readonly label: string;
  readonly since: number;
  /** When the agent last sent something; null while a tool call runs, which may take its time. */
  readonly silentSince: number | null;
}

const silentMs = 20_000;

export function describeActivity({ timeline, turns, thread }: Work): Activity {
  const turn = turns.findLast((row) => row.status === "running");
  const startedAt = turn?.started_at ?? thread.updated_at;
  const running = timeline.findLast((item) => item.type === "tool_call" && item.status === "in_progress");
  if (running?.type === "tool_call") {
    const since = running.started_at ?? running.created_at;
    const title = running.title.replaceAll("`", "").split("\n")[0] ?? "";
    // Some agents write the verb into the title.
    return { label: /^running\b/i.test(title) ? title : `Running ${title}`, since, silentSince: null };
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

/** Null unless the agent has sent nothing for 20 s. Agents try their model again in silence, some for minutes. */
export function describeSilence(silentSince: number | null, now: number): string | null {
  if (silentSince === null || now - silentSince < silentMs) return null;
  const time = formatElapsed(now - silentSince);
  return `Nothing from the agent for ${time}. It may be thinking, or trying its model again after a limit or an error.`;
}

/** "12 s", "1 min 12 s"; nothing for the first two seconds. */
export function formatElapsed(ms: number): string {
  if (ms < 2000) return "";
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : duration(ms);
}

const isPrompt = (item: TimelineItem) => item.type === "message" && item.role === "user";
