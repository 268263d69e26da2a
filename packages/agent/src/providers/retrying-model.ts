// A model that is asked again when the provider is busy, fails, or breaks off: with growing pauses, or when the provider says.

import { setTimeout as pause } from "node:timers/promises";
import { errorText } from "@signalbox/tool-calls";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { ProviderError } from "./provider-error.ts";

const mostAttempts = 5;
/** Doubled with every attempt. */
const usualFirstPauseMs = 500;
/** Nobody waits longer than this for a provider; then it is an error that says when to come back. */
const longestPauseMs = 60_000;

export function retrying(model: Model, firstPauseMs = usualFirstPauseMs): Model {
  return { ...model, stream: (request, signal) => streamWithRetries(model, firstPauseMs, request, signal) };
}

async function* streamWithRetries(
  model: Model,
  firstPauseMs: number,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const event of model.stream(request, signal)) {
        yield event;
        if (event.type === "finish") return;
      }
      throw new ProviderError("broken_stream", `The answer of ${model.provider} ended before it was complete.`);
    } catch (error) {
      signal.throwIfAborted();
      const waitMs = pauseBefore(attempt, firstPauseMs, error);
      if (waitMs === null) throw error;
      yield { type: "retry", reason: errorText(error), waitMs };
      await pause(waitMs, undefined, { signal });
    }
  }
}

/** Null when another attempt makes no sense. */
function pauseBefore(attempt: number, firstPauseMs: number, error: unknown): number | null {
  if (!(error instanceof ProviderError) || !error.retryable || attempt >= mostAttempts) return null;
  if (error.retryAfterMs !== null) return error.retryAfterMs > longestPauseMs ? null : error.retryAfterMs;
  // Spread out, so that many sessions do not come back at the same moment.
  return firstPauseMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}
