// Threads to delete: hidden immediately, and deleted when the time for Undo is over or when the page closes.

import { messageOf } from "@signalbox/protocol";
import { type HostConnection, Store } from "@signalbox/react";
import { showNotice } from "./notices.ts";

interface Deletion {
  readonly threadId: string;
  readonly title: string;
  /** Also what is not committed in the thread's worktree. */
  readonly discard?: boolean;
}

const undoMs = 6000;

export class Deletions {
  readonly store = new Store<readonly Deletion[]>([]);
  readonly #connection: HostConnection;
  readonly #timers = new Map<string, number>();

  constructor(connection: HostConnection) {
    this.#connection = connection;
    addEventListener("pagehide", () => {
      for (const deletion of this.store.get()) this.#finish(deletion);
    });
  }

  delete(deletion: Deletion): void {
    if (this.#timers.has(deletion.threadId)) return;
    this.store.set([...this.store.get(), deletion]);
    this.#timers.set(
      deletion.threadId,
      window.setTimeout(() => this.#finish(deletion), undoMs),
    );
  }

  undo(threadId: string): void {
    clearTimeout(this.#timers.get(threadId));
    this.#forget(threadId);
  }

  #finish({ threadId, discard = false }: Deletion): void {
    clearTimeout(this.#timers.get(threadId));
    const forget = () => this.#forget(threadId);
    this.#connection.request("session.delete", { thread_id: threadId, discard }).then(forget, (error: unknown) => {
      // The thread is shown in the list again.
      forget();
      showNotice(messageOf(error));
    });
  }

  #forget(threadId: string): void {
    this.#timers.delete(threadId);
    this.store.set(this.store.get().filter((deletion) => deletion.threadId !== threadId));
  }
}
