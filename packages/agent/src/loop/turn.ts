// What a turn needs, what it may use, and what it shows: the words that the loop, the executor and the session share.
import type { PendingToolCall, PermissionHandler, PermissionRequest, ToolCallTracker } from "@signalbox/tool-calls";
import type { Model, ModelUsage, Thinking } from "../providers/model.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { History } from "./history.ts";

export interface TurnInput {
  readonly model: Model;
  readonly system: string;
  readonly history: History;
  /** Asked before every request, because MCP servers come and go and the mode changes. */
  readonly tools: () => readonly Tool[];
  readonly thinking: Thinking;
  readonly maxOutputTokens: number;
  readonly limits: TurnLimits;
  readonly workspace: Workspace;
  readonly permissions: CallPermissions;
  readonly output: TurnOutput;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Makes room in the history; called before a request that would not fit, and after one that did not. */
  readonly compact: (signal: AbortSignal) => Promise<void>;
}

export interface CallPermissions extends PermissionHandler {
  /** Why a call may not run whoever is asked, for the model; null when that is open. Asks nobody. */
  forbids(request: PermissionRequest): string | null;
}

export interface TurnLimits {
  /** Requests to the model. */
  readonly maxTurns: number;
  readonly toolTimeoutMs: number;
  /** US dollars for the whole session. */
  readonly budgetUsd: number | undefined;
}

/** Where a turn shows what happens. Everything is shown in the order of the calls. */
export interface TurnOutput {
  readonly tracker: ToolCallTracker;
  /** Resolves, when it has to be waited for, as soon as there is room for more. */
  say(text: string): Promise<void> | undefined;
  think(text: string): Promise<void> | undefined;
  /** Something the person should know that the model did not say. */
  note(text: string): void;
  used(usage: ModelUsage, model: Model): void;
  /** US dollars so far; null when not known. */
  cost(): number | null;
  /** Tokens that the next request would have, as far as it can be known. */
  contextTokens(): number;
}

/** A call that the model asked for. */
export interface AskedCall {
  /** As the model knows it. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** What could not be parsed. */
  readonly invalid: string | undefined;
  readonly pending: PendingToolCall;
}
