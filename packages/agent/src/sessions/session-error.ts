// Defines the errors of opening a session. The ACP border converts their codes.

/**
 * - `not_found`: there is no such session here
 * - `bad_request`: what was asked for cannot be: a relative path, a folder that is not there
 * - `misconfigured`: a config file is wrong
 * - `needs_key`: the provider's key is missing
 */
type SessionErrorCode = "not_found" | "bad_request" | "misconfigured" | "needs_key";

export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  /** Set where the session is what is missing. */
  readonly sessionId: string | undefined;

  constructor(code: SessionErrorCode, message: string, sessionId?: string) {
    super(message);
    this.code = code;
    this.sessionId = sessionId;
  }
}

export function noSuchSession(sessionId: string): SessionError {
  return new SessionError("not_found", `There is no session ${sessionId} here.`, sessionId);
}
