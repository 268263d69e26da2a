// Declares what a session is started with.
import type { ContentBlock, Json, JsonObject, ThreadRow, ThreadSandbox } from "@signalbox/protocol";
import type { SessionOpening } from "../acp/editors.ts";
import type { ServedThread } from "../acp/served-thread.ts";
import type { AgentActivity } from "../agents/agent-activity.ts";
import type { AgentProcessOptions } from "../agents/agent-process.ts";
import type { QuirksInUse } from "../agents/agent-quirks.ts";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import type { SessionSource } from "./open-agent-session.ts";
import type { WaitingTurn } from "./prompt-queue.ts";
import type { StartLimit } from "./start-limit.ts";
import type { ThreadFolder } from "./thread-folder.ts";
import type { ThreadNetwork } from "./thread-network.ts";
import type { TurnSignal } from "./turn-signal.ts";

export interface SessionOptions {
  readonly thread: ThreadRow;
  readonly folder: ThreadFolder;
  readonly definition: AgentDefinition;
  readonly version: string;
  readonly opening: SessionOpening;
  readonly source: SessionSource;
  readonly clientCapabilities: JsonObject;
  /** What encloses the agent's commands in this mode. */
  readonly describeSandbox: (modeId: string | null) => ThreadSandbox;
  /** The sandbox around the whole agent; undefined where it runs outside. */
  readonly enclosure: AgentProcessOptions["enclosure"];
  readonly ledger: PidLedger;
  /** Closed with the session. */
  readonly network: ThreadNetwork;
  /** Answers the agent's requests. */
  readonly served: ServedThread;
  readonly turn: TurnSignal;
  readonly activity: AgentActivity;
  readonly limit: StartLimit;
  readonly quirks: QuirksInUse;
  /** Prompts that were held back before the agent was started. */
  readonly heldTurns: readonly WaitingTurn[];
  /** The config options that the thread had, as ACP has them; null when none are known. */
  readonly configOptions: Json;
  readonly countKnownPrompts: () => Promise<number>;
  /** The text that an agent without memory gets before its first prompt. */
  readonly describeHistory: () => Promise<ContentBlock | null>;
  readonly onStep: (step: string) => void;
  /** Called once, when the agent's process has ended. */
  readonly onGone: () => void;
  readonly signal: AbortSignal;
}
