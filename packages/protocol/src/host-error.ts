// Defines the error that the host reports over a connection: a stable code for programs, and a message for people.

import type { Json } from "./json.ts";
import type { ErrorCode } from "./server-messages.ts";

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly details: Json | undefined;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown; readonly details?: Json }) {
    super(message, options);
    this.code = code;
    this.details = options?.details;
  }
}
