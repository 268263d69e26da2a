// Collects the rows of a table that changed in a commit window. Each is read and published once, at the end of the window.
import type { Change } from "@signalbox/protocol";

export interface ChangeHead {
  readonly type: "tinyvex.update";
  readonly thread_id: string;
  readonly seq: number;
}

export class ChangedRows<Row extends { readonly last_seq: number }> {
  readonly #find: (threadId: string, id: string) => Row | undefined;
  readonly #toChange: (head: ChangeHead, row: Row) => Change;
  readonly #ids = new Map<string, Set<string>>();

  constructor(
    find: (threadId: string, id: string) => Row | undefined,
    toChange: (head: ChangeHead, row: Row) => Change,
  ) {
    this.#find = find;
    this.#toChange = toChange;
  }

  add(threadId: string, id: string): void {
    const ids = this.#ids.get(threadId) ?? new Set();
    ids.add(id);
    this.#ids.set(threadId, ids);
  }

  delete(threadId: string, id: string): void {
    this.#ids.get(threadId)?.delete(id);
  }

  flush(threadId: string, changes: Change[]): void {
    for (const id of this.#ids.get(threadId) ?? []) {
      const row = this.#find(threadId, id);
      if (row === undefined) continue;
      changes.push(this.#toChange({ type: "tinyvex.update", thread_id: threadId, seq: row.last_seq }, row));
    }
    this.#ids.delete(threadId);
  }

  /** Forgets everything: the window was not stored. */
  reset(): void {
    this.#ids.clear();
  }
}
