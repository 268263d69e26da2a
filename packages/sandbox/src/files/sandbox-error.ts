// Defines the error of file access: a stable code, and one line for model and person.
import type { Decision } from "../policy/policy.ts";

export type SandboxErrorCode = "denied" | "not_a_file" | "not_a_folder" | "too_big";

export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  readonly path: string;
  /** Which rule denied it, where one did. */
  readonly rule: string | undefined;

  constructor(code: SandboxErrorCode, path: string, message: string, rule?: string) {
    super(message);
    this.name = "SandboxError";
    this.code = code;
    this.path = path;
    this.rule = rule;
  }
}

/** The real path, or the error that says which rule stands in the way. */
export function insist(decision: Decision): string {
  if (decision.allowed) return decision.path;
  throw new SandboxError("denied", decision.path, decision.message, decision.rule);
}
