// Threads on their way out: hidden at once, deleted for good when the time to take it back is over, or when the page goes away.
import type { Connection } from "../connection/connection.ts";
import { Store } from "./store.ts";

export interface Deletion {
  readonly threadId: string;
  readonly title: string;
}

const timeToUndo = 6000;

export class Deletions {
  readonly store = new Store<readonly Deletion[]>([]);
  readonly #connection: Connection;
  readonly #timers = new Map<string, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
    addEventListener("pagehide", () => {
      for (const { threadId } of this.store.get()) this.#finish(threadId);
    });
  }

  delete(deletion: Deletion): void {
    if (this.#timers.has(deletion.threadId)) return;
    this.store.set([...this.store.get(), deletion]);
    this.#timers.set(
      deletion.threadId,
      window.setTimeout(() => this.#finish(deletion.threadId), timeToUndo),
    );
  }

  undo(threadId: string): void {
    clearTimeout(this.#timers.get(threadId));
    this.#forget(threadId);
  }

  #finish(threadId: string): void {
    clearTimeout(this.#timers.get(threadId));
    const forget = () => this.#forget(threadId);
    // Refused or offline: the thread is simply back in the list.
    this.#connection.request({ control: "session.delete", thread_id: threadId }).then(forget, forget);
  }

  #forget(threadId: string): void {
    this.#timers.delete(threadId);
    this.store.set(this.store.get().filter((deletion) => deletion.threadId !== threadId));
  }
}
