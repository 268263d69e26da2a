// Declares the error of a provider: a stable code, a message with what to do, and whether a retry can help.

/**
 * - `misconfigured`: no key, no model, no address; nothing was sent
 * - `unauthorized`: the key is wrong or may not do this
 * - `bad_request`: the provider refuses the request as it is
 * - `context_overflow`: the conversation does not fit into the model
 * - `not_found`: no such model or no such address
 * - `no_credit`: the account has no credit left, or its limit for the day or month is used up
 * - `rate_limited`: too many requests; the provider may say when to retry
 * - `unavailable`: the provider failed or is overloaded
 * - `unreachable`: no connection to it
 * - `stalled`: the answer stopped coming
 * - `broken_stream`: the answer broke off, or was no answer
 */
export type ProviderErrorCode =
  | "misconfigured"
  | "unauthorized"
  | "bad_request"
  | "context_overflow"
  | "not_found"
  | "no_credit"
  | "rate_limited"
  | "unavailable"
  | "unreachable"
  | "stalled"
  | "broken_stream";

const retryableCodes: ReadonlySet<ProviderErrorCode> = new Set([
  "rate_limited",
  "unavailable",
  "unreachable",
  "stalled",
  "broken_stream",
]);

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  /** How long the provider asks us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ProviderErrorCode, message: string, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get retryable(): boolean {
    return retryableCodes.has(this.code);
  }
}
