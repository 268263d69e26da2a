// Turns what ended a prompt into the error of its turn.
import { type Json, messageOf } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";

export function turnError(error: unknown): { code: string; message: string; details?: Json } {
  if (!(error instanceof HostError)) return { code: "internal", message: messageOf(error) };
  return {
    code: error.code,
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}
