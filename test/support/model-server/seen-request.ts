// What a model was asked, in the same words for every wire format, so that one test can look at all of them.

export interface SeenRequest {
  readonly wire: WireName;
  readonly path: string;
  /** What stands after the path, with its `?`. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it came. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly string[];
  readonly maxOutputTokens: number | null;
  /** Milliseconds since the epoch, with fractions. */
  readonly receivedAt: number;
}

export type WireName = "openai-responses" | "openai-chat" | "anthropic" | "gemini" | "ollama" | "bedrock";

export interface SeenMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly images?: number;
  readonly toolCalls?: readonly SeenToolCall[];
  readonly toolResults?: readonly SeenToolResult[];
}

interface SeenToolCall {
  /** Null where the wire format has no ids. */
  readonly id: string | null;
  readonly name: string;
  readonly input: unknown;
}

interface SeenToolResult {
  readonly id: string | null;
  /** Null where the wire format repeats no names. */
  readonly name: string | null;
  readonly text: string;
}
