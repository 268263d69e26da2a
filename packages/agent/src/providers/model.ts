// What the turn loop needs of a model, whichever provider stands behind it: one inference, streamed.

export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** The session's folder. */
  readonly cwd: string;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "finish"; readonly reason: "stop" | "max_tokens" | "refusal" };

/** Yields what the model says as it says it; the last event is `finish`. Throws when the signal aborts or the provider fails. */
export interface Model {
  readonly name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
