// Scripts a model for every wire format: an answer, a fault on the way, or an error.

export type Reply = Answer | Failure | Refused;

export interface Answer {
  readonly thinking?: string;
  /** What the provider wants back with the thought, where its wire format has such a thing. */
  readonly signature?: string;
  /** A list is sent piece by piece, a text in words. */
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** `tool_calls` where there are any, else `stop`. */
  readonly finish?: Finish;
  readonly usage?: ScriptedUsage;
  readonly fault?: Fault;
}

export type Finish = "stop" | "tool_calls" | "max_tokens" | "refusal";

export interface ScriptedToolCall {
  readonly name: string;
  readonly input?: unknown;
  /** Sent in place of the input, as it is: what a model gets wrong. Wire formats without JSON text send it as a string. */
  readonly broken?: string;
  readonly id?: string;
}

export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** What happens on the way. `after` counts frames (events or lines) that still arrive whole; below zero it counts from the end. */
export type Fault =
  /** The connection breaks. */
  | { readonly type: "drop"; readonly after: number }
  /** The answer ends, politely, before it said that it is complete. */
  | { readonly type: "end"; readonly after: number }
  /** Nothing more is sent, and the connection stays open. */
  | { readonly type: "stall"; readonly after: number }
  /** A frame that is not of this world, then the rest. */
  | { readonly type: "junk"; readonly after: number }
  /** The provider says in the middle of the answer that it failed. */
  | { readonly type: "error"; readonly after: number; readonly message: string }
  /** Bytes arrive in small pieces that split lines and characters. */
  | { readonly type: "torn" }
  /** So many milliseconds before each frame. */
  | { readonly type: "slow"; readonly ms: number };

/** The provider's own error response. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The connection is closed before anything was answered. */
export interface Refused {
  readonly refused: true;
}

export function piecesOf(text: Answer["text"]): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? text.split(/(?<=\s)/) : text;
}

export function finishOf({ finish, toolCalls }: Answer): Finish {
  return finish ?? (toolCalls === undefined || toolCalls.length === 0 ? "stop" : "tool_calls");
}

export function argumentsText({ broken, input }: ScriptedToolCall): string {
  return broken ?? JSON.stringify(input ?? {});
}
