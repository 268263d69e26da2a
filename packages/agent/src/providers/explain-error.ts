// From whatever a provider package or a stream throws to a ProviderError. Nothing of a request goes into the words: it may hold secrets.
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";

export interface ProviderFacts {
  /** As the user calls it: `anthropic`. */
  readonly provider: string;
  readonly model: string;
  /** Where the key is expected; null where none is needed. */
  readonly keyVariable: string | null;
}

const longestWords = 1000;

export function explainError(error: unknown, facts: ProviderFacts): ProviderError {
  if (error instanceof ProviderError) return error;
  const seen = look(error);
  const { provider } = facts;
  const words = seen.words.slice(0, longestWords) || "no reason given";
  if (seen.status === null) return new ProviderError("broken_stream", `The answer of ${provider} broke off: ${words}`);
  const code = codeOf(seen.status, words);
  return new ProviderError(
    code,
    `${provider} answered ${seen.status}: ${words}${remedy(code, facts)}`,
    seen.retryAfterMs,
  );
}

/** An error event in the middle of an answer: the provider's own words, unless they are about what we sent worth another try. */
export function explainStreamError(error: unknown, facts: ProviderFacts): ProviderError {
  if (error instanceof ProviderError) return error;
  const seen = look(error);
  const words = seen.words.slice(0, longestWords) || "no reason given";
  const code = seen.status === null ? "broken_stream" : codeOf(seen.status, words);
  return new ProviderError(code, `The answer of ${facts.provider} broke off: ${words}`, seen.retryAfterMs);
}

function codeOf(status: number, words: string): ProviderErrorCode {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404 || status === 405) return "not_found";
  if (status === 429) return "rate_limited";
  if (status === 408 || status === 409 || status >= 500) return "unavailable";
  return status === 413 || isOverflow(words) ? "context_overflow" : "bad_request";
}

function isOverflow(words: string): boolean {
  return /context.{0,20}(length|window|limit)|prompt is too long|too many (input )?tokens|input token count.{0,40}exceeds|maximum.{0,20}tokens/i.test(
    words,
  );
}

function remedy(code: ProviderErrorCode, { keyVariable, model }: ProviderFacts): string {
  switch (code) {
    case "unauthorized":
      return keyVariable === null ? "" : `. Check ${keyVariable}, and that this key may use ${model}.`;
    case "not_found":
      return `. Check that the model ${model} exists there, and the base URL.`;
    case "bad_request":
      return `. Choose another model, or change what ${model} is asked.`;
    case "context_overflow":
      return ". Use /compact or /clear, or start a new session.";
    default:
      return "";
  }
}

interface Seen {
  readonly status: number | null;
  readonly words: string;
  readonly retryAfterMs: number | null;
}

/** The provider packages' errors are looked at, not asked for their class: each package may bring its own copy of it. */
function look(error: unknown): Seen {
  const { statusCode, code, responseBody, responseHeaders, message, cause } = fieldsOf(error);
  const status = statusOf(statusCode) ?? statusOf(code);
  const own = bodyWords(responseBody) ?? textOf(message) ?? textOf(error) ?? textOf(fieldsOf(error).type);
  const reason = textOf(fieldsOf(cause).message);
  const words = own ?? reason ?? "";
  const withReason = reason === undefined || words.includes(reason) ? words : `${words} (${reason})`;
  return { status, words: withReason, retryAfterMs: retryAfter(fieldsOf(responseHeaders)) };
}

function statusOf(value: unknown): number | null {
  return typeof value === "number" && value >= 400 && value < 600 ? value : null;
}

/** The message inside an error body: `{error:{message}}`, `{error:"…"}`, `{message}`, or the text itself. */
function bodyWords(body: unknown): string | undefined {
  if (typeof body !== "string" || body.trim() === "") return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    const { error, message } = fieldsOf(Array.isArray(parsed) ? parsed[0] : parsed);
    return textOf(fieldsOf(error).message) ?? textOf(error) ?? textOf(message) ?? body;
  } catch {
    return body;
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Readonly<Record<string, unknown>>): number | null {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const value = headers["retry-after"];
  if (typeof value !== "string" || value === "") return null;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
