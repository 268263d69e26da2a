// Defines the errors of this agent: a stable code, and a message that says what happened and what to do.

type ClaudeErrorCode =
  | "sdk_missing"
  | "not_logged_in"
  | "key_refused"
  | "no_credit"
  | "rate_limited"
  | "overloaded"
  | "context_full"
  | "model_not_found"
  | "model_failed"
  | "claude_died"
  | "bad_request"
  | "session_not_found";

export class ClaudeError extends Error {
  override readonly name = "ClaudeError";
  readonly code: ClaudeErrorCode;

  constructor(code: ClaudeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
