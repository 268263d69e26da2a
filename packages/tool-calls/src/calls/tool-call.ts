// The states of a tool call, one type each with exactly the steps that state allows:
//   pending -> running -> completed | failed, and pending -> failed. A step hands back the next state.
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";

/** Fields of a call in every state. */
export interface ToolCallFacts {
  /** The id on the wire, unique in the session. */
  readonly id: string;
  /** The tool's name, as the model calls it. */
  readonly name: string;
  readonly title: string;
  readonly kind: ToolKind;
}

/** A change to a call; only given fields are sent. Collections replace the previous ones, as in ACP; `meta` is merged by key. */
export interface ToolCallChange {
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface OpenFacts extends ToolCallFacts {
  readonly sessionId: string;
  /** The session's working directory. */
  readonly cwd: string;
  readonly rawInput: unknown;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  /** Aborts when the call fails, is denied or is cancelled: whatever works for it should stop. */
  readonly signal: AbortSignal;
  /** Resolves when the client has taken everything that was sent of this call. Never rejects. */
  delivered(): Promise<void>;
  update(change: ToolCallChange): void;
}

/** Announced: the model is still writing the arguments, or permission is being asked. */
export interface PendingToolCall extends OpenFacts {
  readonly status: "pending";
  /** The arguments are complete: raw input, title, locations and kind follow from them, unless they were given. */
  input(args: unknown): void;
  /** Ends the call because it is not allowed. The message is for the model. */
  deny(message: string): FailedToolCall;
  /** Ends the call with what went wrong. Without `content` in the change, the words are added to what the call already shows. */
  fail(error: unknown, change?: ToolCallChange): FailedToolCall;
  /** Ends the call because it is not wanted any more. */
  cancel(reason: string): FailedToolCall;
  /** From here on the tool runs. Comes back failed when the call was ended meanwhile: then the tool must not run. */
  start(): RunningToolCall | FailedToolCall;
}

export interface RunningToolCall extends OpenFacts {
  readonly status: "in_progress";
  /** MCP-style progress, throttled to ten a second; the first and the last are always sent. */
  progress(progress: number, total?: number | null, message?: string | null): void;
  complete(change?: ToolCallChange): SettledToolCall;
  /** Ends the call with what went wrong. Without `content` in the change, the words are added to what the call already shows. */
  fail(error: unknown, change?: ToolCallChange): SettledToolCall;
  /** Ends the call because it is not wanted any more. */
  cancel(reason: string): SettledToolCall;
}

export interface SettledFacts extends ToolCallFacts {
  /** Resolves when the client has taken everything that was sent of this call. Never rejects. */
  delivered(): Promise<void>;
}

export interface CompletedToolCall extends SettledFacts {
  readonly status: "completed";
  readonly outcome: "completed";
}

export interface FailedToolCall extends SettledFacts {
  readonly status: "failed";
  readonly outcome: "failed" | "denied" | "cancelled";
  /** Why, in words that a person and the model can use. */
  readonly message: string;
}

export type OpenToolCall = PendingToolCall | RunningToolCall;

/** The end. The first cause wins: ending a call that has ended hands back the end that it had. */
export type SettledToolCall = CompletedToolCall | FailedToolCall;

/** The record that `onSettled` gets, one for each call, for histories and statistics. */
export interface SettledReport {
  readonly sessionId: string;
  readonly id: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly outcome: SettledToolCall["outcome"];
  /** Why it failed; absent when it completed. */
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly announcedAt: number;
  /** Milliseconds from the announcement to the start, or to the end when it never started. */
  readonly waitedMs: number;
  /** Milliseconds that the tool ran; 0 when it never started. */
  readonly durationMs: number;
  /** Characters of the input as JSON. */
  readonly inputSize: number;
  /** Characters of all content, and of the raw output as JSON. */
  readonly outputSize: number;
}
