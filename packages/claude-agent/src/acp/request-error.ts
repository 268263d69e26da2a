// Converts our errors to errors of the protocol. No other file does.
import { RequestError } from "@agentclientprotocol/sdk";
import { ClaudeError } from "../errors/claude-error.ts";

/** The message is for the person; the code is for programs. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof ClaudeError)) return error;
  const { code, message } = error;
  switch (code) {
    case "session_not_found":
      return RequestError.sessionNotFound(message);
    case "bad_request":
      return new RequestError(-32_602, message);
    case "not_logged_in":
    case "key_refused":
      return new RequestError(-32_000, message, { code });
    case "sdk_missing":
    case "no_credit":
    case "rate_limited":
    case "overloaded":
    case "context_full":
    case "model_not_found":
    case "model_failed":
    case "claude_died":
      return new RequestError(-32_603, message, { code });
  }
}
