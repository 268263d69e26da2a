// Defines the one error class of this library. The code is stable; the message says what happened and what to do.

/**
 * - `denied`: a permission handler said no; the message is written for the model
 * - `cancelled`: the call was ended from outside (`settleAll`) while it waited or ran
 * - `stale_state`: a step was taken from a state that the call has left; use the state that the last step returned
 * - `bad_rule`: a permission rule cannot be understood
 * - `cannot_wrap`: `wrapAgent` cannot replace this agent's `callTool`, or has done so already
 */
export type ToolCallErrorCode = "denied" | "cancelled" | "stale_state" | "bad_rule" | "cannot_wrap";

export class ToolCallError extends Error {
  override readonly name = "ToolCallError";
  readonly code: ToolCallErrorCode;

  constructor(code: ToolCallErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const maxErrorLength = 10_000;

/** Describes anything that was thrown, for a person and for the model. */
export function errorText(thrown: unknown): string {
  return describe(thrown).slice(0, maxErrorLength) || "It failed without an error message.";
}

function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    if (typeof thrown === "string") return thrown;
    if (thrown === undefined || thrown === null) return "";
    if (typeof thrown === "object" && "message" in thrown && typeof thrown.message === "string") return thrown.message;
    return JSON.stringify(thrown) ?? "";
  } catch {
    // Hostile or cyclic objects: nothing in them can be trusted to be readable.
    return "";
  }
}
