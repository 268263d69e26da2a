// Declares what is known of a session while its agent runs, what a new one needs, and what becomes of a prompt.
import type { AgentActivity } from "../agents/agent-activity.ts";
import type { Session } from "./session.ts";
import type { StartLimit } from "./start-limit.ts";

/** An agent's process, for a list that people read. */
interface RunningAgent {
  readonly threadId: string;
  readonly pid: number;
  readonly label: string;
  readonly startedAt: number;
}

export interface RunningThread {
  readonly session: Promise<Session>;
  /** Aborts the start; has no effect after it. */
  readonly start: AbortController;
  readonly activity: AgentActivity;
  readonly limit: StartLimit;
  readonly label: string;
  isStarting: boolean;
  /** Null until it is started. */
  running: Session | null;
  parking: NodeJS.Timeout | null;
}

type StartedThread = Pick<RunningThread, "session" | "start" | "activity" | "limit" | "label">;

export function makeRunningThread(started: StartedThread): RunningThread {
  return { ...started, isStarting: true, running: null, parking: null };
}

/** Those whose process runs. */
export async function listRunningAgents(all: ReadonlyMap<string, RunningThread>): Promise<readonly RunningAgent[]> {
  const found = await Promise.all(
    [...all].map(async ([threadId, live]) => {
      const session = await live.session.catch(() => null);
      const pid = session?.process.pid;
      if (session === null || pid === undefined) return [];
      return [{ threadId, pid, label: session.label, startedAt: session.process.startedAt }];
    }),
  );
  return found.flat();
}
