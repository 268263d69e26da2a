// Converts our errors to errors of the protocol. No other file does.
import { RequestError } from "@agentclientprotocol/sdk";
import { ProviderError } from "../providers/provider-error.ts";
import { SessionError } from "../sessions/session-error.ts";

export function toRequestError(error: unknown): unknown {
  if (error instanceof SessionError) return fromSessionError(error);
  // The message is for the person; the code is for programs.
  if (error instanceof ProviderError) return new RequestError(-32_603, error.message, { code: error.code });
  return error;
}

function fromSessionError({ code, message, sessionId }: SessionError): RequestError {
  switch (code) {
    case "not_found":
      return RequestError.sessionNotFound(sessionId ?? "");
    case "bad_request":
      return new RequestError(-32_602, message);
    case "needs_key":
      return new RequestError(-32_000, message);
    case "misconfigured":
      return new RequestError(-32_603, message, { code });
  }
}
