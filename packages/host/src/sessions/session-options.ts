// Declares the parts that a session is started with.
import type { ContentBlock, Json, JsonObject, ThreadRow } from "@signalbox/protocol";
import type { ClientSessionParams } from "../acp/editors.ts";
import type { ThreadContext } from "../acp/thread-context.ts";
import type { AgentActivity } from "../agents/agent-activity.ts";
import type { AgentProcessOptions } from "../agents/agent-process.ts";
import type { QuirksInUse } from "../agents/agent-quirks.ts";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import type { WaitingTurn } from "./prompt-queue.ts";
import type { SessionSandbox } from "./session-sandbox.ts";
import type { StartLimit } from "./start-limit.ts";
import type { ThreadFolder } from "./thread-folder.ts";

export interface SessionOptions {
  readonly thread: ThreadRow;
  /** Answers the agent's requests. */
  readonly context: ThreadContext;
  readonly folder: ThreadFolder;
  /** Closed with the session. */
  readonly sandbox: SessionSandbox;
  readonly agent: AgentLaunch;
  readonly opening: AgentSessionRequest;
  readonly known: KnownThread;
  /** Called once, when the agent's process has ended. */
  readonly onGone: () => void;
  readonly signal: AbortSignal;
}

/** How the agent's process is started. */
interface AgentLaunch {
  readonly definition: AgentDefinition;
  /** The sandbox around the whole agent; undefined where it runs outside. */
  readonly sandbox: AgentProcessOptions["sandbox"];
  readonly ledger: PidLedger;
  readonly activity: AgentActivity;
  readonly quirks: QuirksInUse;
}

/** Where the agent's session comes from. */
export type SessionSource =
  /** The thread's own session from before if it has one and the agent can resume it, else a new one. */
  | { readonly type: "own"; readonly model?: string | undefined }
  /** A session that the agent has and the register does not: the agent sends its history. */
  | { readonly type: "adopt"; readonly sessionId: string }
  /** A new one, for a thread that another agent began. */
  | { readonly type: "hand_over" }
  /** A copy of another session, at its present end or before a turn; a new one where the agent cannot copy that. */
  | { readonly type: "fork"; readonly sessionId: string; readonly beforeTurn?: string | undefined };

/** Asks the agent for a session: a new one, or one that exists. */
export interface AgentSessionRequest {
  /** The params of `initialize`. */
  readonly initialize: JsonObject;
  readonly given: ClientSessionParams;
  readonly source: SessionSource;
  readonly limit: StartLimit;
  /** Counts the prompts of this thread, and of those it was forked from, that are in the register. */
  readonly countKnownPrompts: () => Promise<number>;
  /** Called with each step, for the person who waits. */
  readonly onStep: (step: string) => void;
}

/** Facts about the thread that the register has from earlier sessions. */
export interface KnownThread {
  /** Prompts that were held back before the agent was started. */
  readonly heldTurns: readonly WaitingTurn[];
  /** The config options that the thread had, as ACP has them; null when none are known. */
  readonly configOptions: Json;
  /** Gives the text that an agent without memory gets before its first prompt. */
  readonly describeHistory: () => Promise<ContentBlock | null>;
}
