// Declares the question before a call runs, its possible answers, and the handler that answers it.
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";

export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The tool's name, as the model calls it. */
  readonly tool: string;
  readonly kind: ToolKind;
  readonly title: string;
  /** A copy of the arguments, not truncated. */
  readonly args: unknown;
  /** Where the call would work; the paths are absolute. */
  readonly locations: readonly ToolCallLocation[];
  /** Content that the call already shows, for example the diff it would make. */
  readonly content: readonly ToolCallContent[];
  /** The session's working directory. */
  readonly cwd: string;
  /** Aborts when the answer is not wanted any more: the call was cancelled, or the time is over. */
  readonly signal: AbortSignal;
}

export type PermissionDecision =
  | { readonly allowed: true }
  /** `message` is for the model: what was not done, and what it should do about it. */
  | { readonly allowed: false; readonly message: string };

/** Decides about calls. Throwing, rejecting and not answering in time all mean no. */
export interface PermissionHandler {
  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision>;
}

/** Stands behind every refusal that a model reads. No text tells a model to find another way: the same effect by other means was refused too. */
export const afterRefusal = "Do not do the same thing by other means. Continue without it, or ask.";

export function allow(): PermissionDecision {
  return { allowed: true };
}

export function deny(message: string): PermissionDecision {
  return { allowed: false, message };
}
