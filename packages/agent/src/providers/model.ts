// What the turn loop needs of a model, whichever provider stands behind it: one inference, streamed. Messages are ours; each
// provider translates them to its wire in one place.

export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly UserPart[] }
  /** `origin` is the model that said it: its thoughts and signatures mean something to no other. */
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[]; readonly origin?: string }
  | { readonly role: "tool"; readonly results: readonly ToolResultPart[] };

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** `providerOptions` is the provider's own and comes back to it untouched: thinking signatures, item ids. */
export type AssistantPart =
  | { readonly type: "text"; readonly text: string; readonly providerOptions?: unknown }
  | { readonly type: "reasoning"; readonly text: string; readonly providerOptions?: unknown }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly providerOptions?: unknown;
    };

export interface ToolResultPart {
  readonly id: string;
  readonly name: string;
  readonly content: readonly UserPart[];
  readonly isError: boolean;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: object;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens: number;
  readonly thinking: Thinking;
}

/** `off` leaves it to the model where it cannot be turned off. */
export type Thinking = "off" | "low" | "medium" | "high";

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens, those that were read from the provider's cache. */
  readonly cachedTokens: number;
  /** In US dollars, where the provider says itself what it cost. */
  readonly cost?: number;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A tool call begins: its input streams in as text, then it is whole. */
  | { readonly type: "tool_input_start"; readonly id: string; readonly name: string }
  | { readonly type: "tool_input_delta"; readonly id: string; readonly text: string }
  /** `input` is parsed JSON; `invalid` holds the text that could not be parsed, for the model to mend. */
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly invalid?: string;
    }
  /** It broke off and is asked again after `waitMs`: whatever this stream yielded so far is void. */
  | { readonly type: "retry"; readonly reason: string; readonly waitMs: number }
  | {
      readonly type: "finish";
      readonly reason: "stop" | "tool_calls" | "max_tokens" | "refusal";
      readonly usage: ModelUsage | null;
      /** The assistant's message as it must be sent back. */
      readonly message: readonly AssistantPart[];
    };

/** Yields what the model says as it says it; the last event is `finish`. Throws a ProviderError, or the signal's reason. */
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** Tokens that fit into one request; null where nobody knows. */
  readonly contextWindow: number | null;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
