// Declares a model as the turn loop uses it, with any provider: one streamed answer for a list of messages. Each provider translates our
// messages to its own in one place.
import type { ModelPdf } from "@signalbox/agent-kit";
import type { ModelFacts, ThinkingLevel } from "@signalbox/config/models";
import type { InvalidInput } from "./nearly-json.ts";

export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly UserPart[] }
  /** `origin` is the model that wrote it: only that model can use its thoughts and signatures. */
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[]; readonly origin?: string }
  | { readonly role: "tool"; readonly results: readonly ToolResultPart[] };

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | ({ readonly type: "pdf" } & ModelPdf);

/** `providerOptions` go back to the provider unchanged: signatures of thoughts, item ids. */
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
  /** The same for all requests of a session: the provider keeps their common beginning in one place. */
  readonly cacheKey?: string;
  /** How the conversation can be changed if it is refused. Undefined: it cannot. */
  readonly recovery?: RequestRecovery;
}

interface RequestRecovery {
  /** Shortens the conversation and returns the request for it. */
  compact(): Promise<ModelRequest>;
  /** Replaces the content that was probably refused by words; undefined when there is nothing left to replace. */
  replaceContent(reason: string): { readonly request: ModelRequest; readonly what: string } | undefined;
}

/** `off` leaves it to the model where it cannot be turned off. */
export type Thinking = "off" | ThinkingLevel;

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The input tokens that came from the provider's cache. */
  readonly cachedTokens: number;
  /** The input tokens that the provider wrote to its cache, which some charge more for. */
  readonly cacheWriteTokens: number;
  /** In US dollars, where the provider tells it. */
  readonly cost?: number;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A tool call begins. Its input follows as text, then the whole call. */
  | { readonly type: "tool_input_start"; readonly id: string; readonly name: string }
  | { readonly type: "tool_input_delta"; readonly id: string; readonly text: string }
  /** `input` is parsed JSON; `invalid` is the text that could not be read, and why. */
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly invalid?: InvalidInput;
    }
  /** Something about this request that the person should know. */
  | { readonly type: "notice"; readonly text: string }
  /** The answer broke off and the request is sent again after `waitMs`. What this stream yielded so far does not count. */
  | {
      readonly type: "retry";
      readonly reason: string;
      readonly waitMs: number;
      /** The one that failed, from 1 on. */
      readonly attempt: number;
      readonly maxAttempts: number;
    }
  /** A changed request is sent immediately. The answer so far does not count. */
  | { readonly type: "restart" }
  | {
      readonly type: "finish";
      readonly reason: "stop" | "tool_calls" | "max_tokens" | "refusal";
      readonly usage: ModelUsage | null;
      /** The assistant's message as it must be sent back. */
      readonly message: readonly AssistantPart[];
    };

/** Yields the answer as it arrives; the last event is `finish`. Throws a ProviderError, or the signal's reason. */
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** Tokens that fit into one request; undefined where that is not known. */
  readonly contextWindow: number | undefined;
  readonly facts: ModelFacts;
  /** Whether it sees the pages of a PDF at this server. */
  readonly readsPdfs?: boolean;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
