// Wraps a model so that requests are retried when the provider is busy, fails or breaks off: with growing pauses, or when the provider says. One
// that allows only shorter answers is asked again with its limit, one that takes no thinking without it.
import { setTimeout as pause } from "node:timers/promises";
import { errorText } from "@signalbox/tool-calls";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { readOutputLimit } from "./output-limit.ts";
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";
import { refusesThinking } from "./thinking-refused.ts";

/** With the pauses below 7 seconds, a minute for one that cannot be reached, and four for one that is overloaded. */
const usualAttempts = 5;
const maxAttempts: Readonly<Partial<Record<ProviderErrorCode, number>>> = {
  unreachable: 8,
  rate_limited: 14,
  unavailable: 14,
};
/** Doubled with every attempt. */
const defaultFirstPauseMs = 500;
/** Pauses grow up to this. */
const maxOwnPauseMs = 30_000;
/** The provider's own pause is kept so often. After that ours counts too: a server that is away for minutes may ask for a second each time. */
const maxTrusted = 3;
/** A provider that asks for a longer pause is an error, which says when to retry. */
const maxPauseMs = 60_000;

export function retrying(model: Model, firstPauseMs = defaultFirstPauseMs): Model {
  const limit: AnswerLimit = { tokens: undefined, takesThinking: true };
  return { ...model, stream: (request, signal) => streamWithRetries(model, limit, firstPauseMs, request, signal) };
}

/** What the provider has refused. */
interface AnswerLimit {
  /** How long an answer may be, where it refused a longer one. */
  tokens: number | undefined;
  takesThinking: boolean;
}

async function* streamWithRetries(
  model: Model,
  limit: AnswerLimit,
  firstPauseMs: number,
  wanted: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  let request = within(limit, limit.takesThinking ? wanted : { ...wanted, thinking: "off" });
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const event of model.stream(request, signal)) {
        yield event;
        if (event.type !== "finish") continue;
        if (request.thinking !== wanted.thinking) limit.takesThinking = false;
        return;
      }
      throw new ProviderError("broken_stream", `The answer of ${model.provider} ended before it was complete.`);
    } catch (error) {
      signal.throwIfAborted();
      const allowed = allowedAfter(error);
      if (allowed !== undefined && allowed.tokens < request.maxOutputTokens) {
        if (allowed.isOfModel) limit.tokens = allowed.tokens;
        request = { ...within(allowed, wanted), thinking: request.thinking };
        continue;
      }
      if (request.thinking !== "off" && isRefused(error) && refusesThinking(error.message)) {
        request = { ...request, thinking: "off" };
        yield {
          type: "notice",
          text: `${model.provider} refused the thinking that ${model.name} was asked for. It is asked without it.`,
        };
        continue;
      }
      const waitMs = pauseBefore(attempt, firstPauseMs, error);
      if (waitMs === undefined) throw attempt === 1 ? error : afterAll(error, attempt);
      yield { type: "retry", reason: errorText(error), waitMs, attempt, maxAttempts: maxAttemptsAfter(error) };
      await pause(waitMs, undefined, { signal });
    }
  }
}

function within({ tokens }: Pick<AnswerLimit, "tokens">, request: ModelRequest): ModelRequest {
  return tokens === undefined || tokens >= request.maxOutputTokens ? request : { ...request, maxOutputTokens: tokens };
}

function allowedAfter(error: unknown): ReturnType<typeof readOutputLimit> {
  const isOverflow = error instanceof ProviderError && error.code === "context_overflow";
  return isRefused(error) || isOverflow ? readOutputLimit(error.message) : undefined;
}

function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.code === "bad_request";
}

function maxAttemptsAfter(error: unknown): number {
  return (error instanceof ProviderError ? maxAttempts[error.code] : undefined) ?? usualAttempts;
}

/** Undefined when a retry makes no sense. */
function pauseBefore(attempt: number, firstPauseMs: number, error: unknown): number | undefined {
  if (!(error instanceof ProviderError) || !error.retryable) return undefined;
  if (attempt >= maxAttemptsAfter(error)) return undefined;
  const { retryAfterMs = 0 } = error;
  if (retryAfterMs > maxPauseMs) return undefined;
  if (error.retryAfterMs !== undefined && attempt <= maxTrusted) return retryAfterMs;
  // Random, so that many sessions do not retry at the same moment.
  const own = Math.min(firstPauseMs * 2 ** (attempt - 1), maxOwnPauseMs) * (0.75 + Math.random() / 2);
  return Math.max(retryAfterMs, own);
}

function afterAll(error: unknown, attempts: number): unknown {
  if (!(error instanceof ProviderError) || !error.retryable) return error;
  return new ProviderError(
    error.code,
    `${error.message} It was asked ${attempts} times; try again later.`,
    error.retryAfterMs,
  );
}
