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
