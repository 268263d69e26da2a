// Declares a turn: its model, its conversation, its tools, its limits, and where it shows what happens. The loop, the executor and the session share these types.
import type { SerialQueue } from "@signalbox/base";
import type { Config } from "@signalbox/config";
import type { PendingToolCall, PermissionHandler, PermissionRequest, ToolCallTracker } from "@signalbox/tool-calls";
import type { Model, ModelUsage, Thinking } from "../providers/model.ts";
import type { InvalidInput } from "../providers/nearly-json.ts";
import type { Diagnostics } from "../tools/diagnostics.ts";
import type { SubAgentRequest, SubAgentResult, Tool } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { History } from "./history.ts";
import type { Steering } from "./steering.ts";

export interface Turn {
  readonly model: Model;
  readonly request: RequestSettings;
  readonly conversation: Conversation;
  readonly tools: TurnTools;
  readonly limits: TurnLimits;
  readonly output: TurnOutput;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
}

/** The parts that all requests of a turn have in common. */
interface RequestSettings {
  readonly system: string;
  readonly thinking: Thinking;
  readonly maxOutputTokens: number;
  /** Names the session to the provider's cache. */
  readonly cacheKey?: string;
}

interface Conversation {
  readonly history: History;
  /** Messages that the person sends during the turn. */
  readonly steering: Steering;
  /** Shortens the history. Called before a request that would not fit, and after one that did not. */
  readonly compact: (signal: AbortSignal) => Promise<void>;
}

/** The tools of a turn, and everything that their calls need. */
interface TurnTools {
  /** Called before every request: MCP servers start and stop, and the mode changes. */
  readonly list: () => readonly Tool[];
  readonly workspace: Workspace;
  readonly permissions: CallPermissions;
  /** Returns the user's instructions for agents in the folders of these files; empty if there is nothing new. */
  readonly instructionsBelow: (files: readonly string[]) => Promise<string>;
  /** Checkers that run after an edit; undefined if the config has none. */
  readonly diagnostics?: Diagnostics;
  /** The calls that change something run one after the other, even those of sub-agents that run in parallel. */
  readonly changes: SerialQueue;
  /** Lets a sub-agent work for the call with this id. Undefined in a sub-agent: there is one level of them. */
  readonly runSubAgent?: (request: SubAgentRequest, toolCallId: string) => Promise<SubAgentResult>;
}

export interface CallPermissions extends PermissionHandler {
  /** Why a call is denied in any case, for the model; null when it is not. Asks no question. */
  forbids(request: PermissionRequest): string | null;
  /** Whether a rule wants a person to be asked before anything is learned from the files of a call. */
  asksAboutReading(request: PermissionRequest): boolean;
}

type TurnLimits = Pick<Config["limits"], "max_turns" | "tool_timeout_s" | "budget_usd">;

/** Where a turn shows what happens, in the order of these calls. */
export interface TurnOutput {
  readonly tracker: ToolCallTracker;
  /** Goes with each call that is announced: of a sub-agent, the call that started it. */
  readonly callMeta?: Readonly<Record<string, unknown>>;
  /** Returns a promise when the client is slow; it resolves when more can be sent. */
  showText(text: string): Promise<void> | undefined;
  showThought(text: string): Promise<void> | undefined;
  /** For the person, and not from the model. */
  showNotice(text: string): void;
  /** A request with the whole context was made. */
  used(usage: ModelUsage, model: Model): void;
  /** A request with another context was made: that of a sub-agent. */
  spent(usage: ModelUsage, model: Model): void;
  /** US dollars so far; null when not known. */
  cost(): number | null;
  /** The estimated tokens of the next request. */
  contextTokens(): number;
}

/** A call that the model asked for. */
export interface AskedCall {
  /** The model's own id of the call. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly invalid: InvalidInput | undefined;
  readonly pending: PendingToolCall;
  /** Where the call was passed on: the tool that runs, and its input. */
  readonly target?: { readonly name: string; readonly input: unknown };
}
