// Defines the host's errors. Codes are stable; messages are for people.
import type { ErrorCode, Json } from "@signalbox/protocol";

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly details: Json | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { details?: Json }) {
    super(message, options);
    this.code = code;
    this.details = options?.details;
  }
}

/** The host cannot start at all; the message is the whole explanation. */
export class StartError extends Error {
  override readonly name = "StartError";
}
