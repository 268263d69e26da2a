// Turns what a provider package or a stream throws into a ProviderError. The message has nothing of the request: it may hold secrets.
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";

export interface ProviderFacts {
  /** The name in the config: `anthropic`. */
  readonly provider: string;
  readonly model: string;
  /** The variable that should hold the key; undefined where none is needed. */
  readonly keyVariable: string | undefined;
}

const maxMessageLength = 1000;

export function explainError(error: unknown, facts: ProviderFacts): ProviderError {
  if (error instanceof ProviderError) return error;
  const read = readError(error);
  const { provider } = facts;
  const message = sentence(read.message);
  if (read.status === undefined)
    return new ProviderError("broken_stream", `The answer of ${provider} broke off: ${message}`);
  const code = classifyError(read.status, message, read.kind);
  return new ProviderError(
    code,
    `${provider} answered ${read.status}: ${message}${remedy(code, message, facts)}`,
    read.retryAfterMs,
  );
}

/** For an error event in the middle of an answer: with the provider's own message. Such an error is worth a retry, unless it is about the request. */
export function explainStreamError(error: unknown, facts: ProviderFacts): ProviderError {
  if (error instanceof ProviderError) return error;
  const read = readError(error);
  const message = sentence(read.message);
  const code = read.status === undefined ? "broken_stream" : classifyError(read.status, message, read.kind);
  return new ProviderError(code, `The answer of ${facts.provider} broke off: ${message}`, read.retryAfterMs);
}

/** Ends the provider's message as a sentence, because others follow it. */
function sentence(message: string): string {
  const said = message.slice(0, maxMessageLength).trim() || "no reason given";
  return /[.!?…]$/.test(said) ? said : `${said}.`;
}

function classifyError(status: number, message: string, kind: string): ProviderErrorCode {
  // Providers answer 402, 403 or 429 to an account without credit. No retry helps, so it is told apart by its code or its words.
  const isOfAccount = status === 402 || status === 403 || status === 429 || status === 400;
  if (status === 402 || (isOfAccount && isCreditProblem(kind, message))) return "no_credit";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404 || status === 405) return "not_found";
  if (status === 429) return "rate_limited";
  if (status === 408 || status === 409 || status >= 500) return "unavailable";
  return status === 413 || isOverflow(message) ? "context_overflow" : "bad_request";
}

/** By the provider's own code (OpenAI's `insufficient_quota`, `billing_hard_limit_reached`), or by words about credit, billing and daily limits. */
function isCreditProblem(kind: string, message: string): boolean {
  return (
    /insufficient_quota|insufficient_(?:funds|credits?|balance)|billing|credit/i.test(kind) ||
    /credit balance is too low|insufficient (?:credits?|funds|balance|quota)|out of credits|(?:daily|monthly) (?:limit|quota)|per[- ]?day/i.test(
      message,
    )
  );
}

function isOverflow(message: string): boolean {
  return /context.{0,20}(length|window|limit)|prompt is too long|too many (input )?tokens|input token count.{0,40}exceeds|maximum.{0,20}tokens/i.test(
    message,
  );
}

function remedy(code: ProviderErrorCode, message: string, { provider, keyVariable, model }: ProviderFacts): string {
  switch (code) {
    case "unauthorized":
      return keyVariable === undefined ? "" : ` Check ${keyVariable}, and that this key may use ${model}.`;
    case "no_credit":
      return " This account has no credit left, or its limit is used up: add credit there, or choose another provider.";
    case "not_found":
      return ` Check that the model ${model} exists there, and the base URL.`;
    case "bad_request":
      if (/max_?(?:output|completion)?_?tokens/i.test(message) && !/unsupported/i.test(message))
        return ` Set providers.${provider}.max_output_tokens in config.json to what ${model} allows.`;
      return ` Choose another model, or change what ${model} is asked.`;
    case "context_overflow":
      return " Use /compact or /clear, or start a new session. Where already the first prompt is too long, set context_window and max_output_tokens of this provider in config.json to what the server has.";
    default:
      return "";
  }
}

interface ErrorFields {
  readonly status: number | undefined;
  readonly message: string;
  /** The codes and types that the provider gives the error; empty where it gives none. */
  readonly kind: string;
  readonly retryAfterMs: number | undefined;
}

/** Reads fields and not the class of an error: each provider package may have its own copy of the class. */
function readError(error: unknown): ErrorFields {
  const { statusCode, code, responseBody, responseHeaders, message, cause } = readFields(error);
  const status = readStatus(statusCode) ?? readStatus(code);
  const own = messageInBody(responseBody) ?? readText(message) ?? readText(error) ?? readText(readFields(error).type);
  const reason = readText(readFields(cause).message);
  const text = own ?? reason ?? "";
  const withReason = reason === undefined || text.includes(reason) ? text : `${text} (${reason})`;
  return {
    status,
    message: withReason,
    kind: readKind(responseBody),
    retryAfterMs: readRetryAfter(readFields(responseHeaders)),
  };
}

function readStatus(value: unknown): number | undefined {
  return typeof value === "number" && value >= 400 && value < 600 ? value : undefined;
}

/** The type and code inside an error body: `{error:{type, code, status}}`. */
function readKind(body: unknown): string {
  if (typeof body !== "string") return "";
  try {
    const parsed: unknown = JSON.parse(body);
    const { error } = readFields(Array.isArray(parsed) ? parsed[0] : parsed);
    const { type, code, status } = readFields(error);
    return [type, code, status].filter((each) => typeof each === "string").join(" ");
  } catch {
    return "";
  }
}

/** The message inside an error body: `{error:{message}}`, `{error:"…"}`, `{message}`, or the text itself. */
function messageInBody(body: unknown): string | undefined {
  if (typeof body !== "string" || body.trim() === "") return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    const { error, message } = readFields(Array.isArray(parsed) ? parsed[0] : parsed);
    return readText(readFields(error).message) ?? readText(error) ?? readText(message) ?? body;
  } catch {
    return body;
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function readRetryAfter(headers: Readonly<Record<string, unknown>>): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const value = headers["retry-after"];
  if (typeof value !== "string" || value === "") return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
