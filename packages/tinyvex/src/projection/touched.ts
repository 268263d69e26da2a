// Which rows of which thread changed in this commit window: each is read and published once, at its end.

export class Touched {
  readonly #ids = new Map<string, Set<string>>();

  add(threadId: string, id: string): void {
    const ids = this.#ids.get(threadId) ?? new Set();
    ids.add(id);
    this.#ids.set(threadId, ids);
  }

  delete(threadId: string, id: string): void {
    this.#ids.get(threadId)?.delete(id);
  }

  /** Gives what changed and forgets it. */
  take(threadId: string): ReadonlySet<string> {
    const ids = this.#ids.get(threadId) ?? new Set();
    this.#ids.delete(threadId);
    return ids;
  }

  /** Forgets everything: the window was not stored. */
  clear(): void {
    this.#ids.clear();
  }
}
