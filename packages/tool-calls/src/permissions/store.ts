// Remembers what was answered with "always", by what the answer was about: the tool, unless a handler says otherwise.

export type RememberedDecision = "allow" | "reject";

export interface PermissionStore {
  get(about: string): RememberedDecision | undefined | Promise<RememberedDecision | undefined>;
  set(about: string, decision: RememberedDecision): void | Promise<void>;
}

/** Remembers as long as the process lives. */
export class MemoryPermissionStore implements PermissionStore {
  readonly #decisions = new Map<string, RememberedDecision>();

  get(about: string): RememberedDecision | undefined {
    return this.#decisions.get(about);
  }

  set(about: string, decision: RememberedDecision): void {
    this.#decisions.set(about, decision);
  }
}
