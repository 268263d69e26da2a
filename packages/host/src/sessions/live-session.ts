// Declares what is known of a session while its agent runs, what a new one needs, and what becomes of a prompt.
import type { JsonObject } from "@signalbox/protocol";
import type { AgentActivity } from "../agents/agent-activity.ts";
import type { ChosenSettings } from "./choose-settings.ts";
import type { Session } from "./session.ts";
import type { StartLimit } from "./start-limit.ts";

/** An agent's process, for a list that people read. */
interface RunningAgent {
  readonly threadId: string;
  readonly pid: number;
  readonly label: string;
  readonly startedAt: number;
}

export interface Live {
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

/** Those whose process runs. */
export async function runningAgents(all: ReadonlyMap<string, Live>): Promise<readonly RunningAgent[]> {
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

export interface Submitted {
  readonly turn_id: string;
  readonly queued: boolean;
  /** Whether it went into the running turn; undefined where that was not asked for. */
  readonly steered?: boolean;
}

export interface PromptOptions {
  /** Into the running turn, where the agent takes it. */
  readonly steers?: boolean | undefined;
  /** For the agent, with the prompt. */
  readonly meta?: JsonObject | undefined;
  /** For this prompt only. */
  readonly model?: string | undefined;
}

export interface NewSession extends ChosenSettings {
  readonly agent_id: string;
  readonly cwd: string;
  readonly title?: string | undefined;
  readonly mcp_servers?: readonly JsonObject[] | undefined;
  readonly additional_directories?: readonly string[] | undefined;
  /** In a worktree of its own: on this branch, or on a new one. */
  readonly worktree?: { readonly branch?: string | undefined } | undefined;
  /** Whether the whole agent runs inside the sandbox; undefined: as the config and the agent's row say. */
  readonly sandbox?: boolean | undefined;
  /** `_meta` of an ACP client, for the agent. */
  readonly meta?: JsonObject | undefined;
}
