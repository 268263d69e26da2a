// The retry policy. A request is repeated for six reasons, and this file decides about each of them: a provider that is busy, one that allows only
// shorter answers, one that refuses thinking, a conversation that does not fit, content that is refused, and an empty answer.
// retrying-model.ts carries out the decisions about failures; turn-loop.ts those about empty answers, which are requests of the turn like any other.
import { messageOf } from "@signalbox/tool-calls";
import type { ModelRequest } from "./model.ts";
import { readOutputLimit } from "./output-limit.ts";
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";
import { refusesThinking } from "./thinking-refused.ts";

/** The tries of a request that has failed, and what can still be changed about it. */
export interface FailedRequest {
  readonly model: { readonly provider: string; readonly name: string };
  readonly request: Pick<ModelRequest, "maxOutputTokens" | "thinking">;
  /** Tries so far, with the one that failed. */
  readonly attempt: number;
  /** The first pause. It doubles with every attempt. */
  readonly firstPauseMs: number;
  /** Whether the conversation can be compacted, and was not compacted for this request. */
  readonly canCompact: boolean;
  /** Whether content of the conversation can be replaced by words. */
  readonly canReplaceContent: boolean;
}

type RetryStep =
  | { readonly type: "wait"; readonly reason: string; readonly waitMs: number; readonly maxAttempts: number }
  /** `isOfModel`: the limit is the model's, so later requests keep it too. */
  | { readonly type: "shorten_answer"; readonly maxOutputTokens: number; readonly isOfModel: boolean }
  | { readonly type: "stop_thinking"; readonly notice: string }
  | { readonly type: "compact" }
  | { readonly type: "replace_content"; readonly reason: string }
  | { readonly type: "give_up"; readonly error: unknown };

/** With the pauses below 7 seconds, a minute for one that cannot be reached, and four for one that is overloaded. */
const usualAttempts = 5;
const attemptsByCode: Readonly<Partial<Record<ProviderErrorCode, number>>> = {
  unreachable: 8,
  rate_limited: 14,
  unavailable: 14,
};
export const defaultFirstPauseMs = 500;
/** Pauses grow up to this. */
const maxOwnPauseMs = 30_000;
/** The provider's own pause is kept this often. After that ours counts too: a server that is away for minutes may ask for a second each time. */
const maxTrusted = 3;
/** A provider that asks for a longer pause is an error, which says when to retry. */
const maxPauseMs = 60_000;
/** This many empty answers end a turn. */
const maxEmptyAnswers = 2;

/** The first rule that applies decides. */
const rules: readonly ((error: ProviderError, failed: FailedRequest) => RetryStep | undefined)[] = [
  shortenAnswer,
  stopThinking,
  compact,
  replaceContent,
  wait,
];

export function decideRetry(error: unknown, failed: FailedRequest): RetryStep {
  if (!(error instanceof ProviderError)) return { type: "give_up", error };
  for (const rule of rules) {
    const step = rule(error, failed);
    if (step !== undefined) return step;
  }
  return { type: "give_up", error: failed.attempt === 1 ? error : countAttempts(error, failed.attempt) };
}

/** Some models stop without a word, and continue when they are asked again. A turn in which nothing was said or done must not look finished. */
export function decideAfterEmptyAnswer(
  model: string,
  emptyAnswers: number,
  hasWorked: boolean,
):
  | { readonly type: "repeat" }
  | { readonly type: "end"; readonly notice: string }
  | { readonly type: "give_up"; readonly error: ProviderError } {
  if (emptyAnswers < maxEmptyAnswers) return { type: "repeat" };
  if (hasWorked) return { type: "end", notice: `${model} said nothing more.` };
  const message = `${model} returned an empty answer twice. Rephrase the prompt, or choose another model.`;
  return { type: "give_up", error: new ProviderError("broken_stream", message) };
}

function shortenAnswer(error: ProviderError, { request }: FailedRequest): RetryStep | undefined {
  if (error.code !== "bad_request" && error.code !== "context_overflow") return undefined;
  const limit = readOutputLimit(error.message);
  if (limit === undefined || limit.tokens >= request.maxOutputTokens) return undefined;
  return { type: "shorten_answer", maxOutputTokens: limit.tokens, isOfModel: limit.isOfModel };
}

function stopThinking(error: ProviderError, { request, model }: FailedRequest): RetryStep | undefined {
  if (error.code !== "bad_request" || request.thinking === "off" || !refusesThinking(error.message)) return undefined;
  const notice = `${model.provider} refused the thinking that ${model.name} was asked for. It is asked without it.`;
  return { type: "stop_thinking", notice };
}

/** A request may be too long against all estimates. */
function compact({ code }: ProviderError, { canCompact }: FailedRequest): RetryStep | undefined {
  return code === "context_overflow" && canCompact ? { type: "compact" } : undefined;
}

/** A result of a tool that is refused now would be refused in every later request too. */
function replaceContent({ code, message }: ProviderError, failed: FailedRequest): RetryStep | undefined {
  return code === "bad_request" && failed.canReplaceContent ? { type: "replace_content", reason: message } : undefined;
}

function wait(error: ProviderError, { attempt, firstPauseMs }: FailedRequest): RetryStep | undefined {
  const { retryAfterMs = 0 } = error;
  const maxAttempts = attemptsByCode[error.code] ?? usualAttempts;
  if (!error.retryable || attempt >= maxAttempts || retryAfterMs > maxPauseMs) return undefined;
  const isTrusted = error.retryAfterMs !== undefined && attempt <= maxTrusted;
  const waitMs = isTrusted ? retryAfterMs : Math.max(retryAfterMs, chooseOwnPause(attempt, firstPauseMs));
  return { type: "wait", reason: messageOf(error), waitMs, maxAttempts };
}

/** Random, so that many sessions do not retry at the same moment. */
function chooseOwnPause(attempt: number, firstPauseMs: number): number {
  return Math.min(firstPauseMs * 2 ** (attempt - 1), maxOwnPauseMs) * (0.75 + Math.random() / 2);
}

function countAttempts(error: ProviderError, attempts: number): ProviderError {
  if (!error.retryable) return error;
  const message = `${error.message} It was asked ${attempts} times; try again later.`;
  return new ProviderError(error.code, message, error.retryAfterMs);
}
