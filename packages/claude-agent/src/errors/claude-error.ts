// What can go wrong with Claude Code, by a stable code, in words that say what happened and what to do.

export type ClaudeErrorCode =
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
