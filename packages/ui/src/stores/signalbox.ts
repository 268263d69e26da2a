// What the page knows of its host: one connection, and the stores that follow it. Made before anything is drawn, so that the thread that
// will be shown is on its way while the rest of the page is still being read.
import { Connection } from "../connection/connection.ts";
import { Deletions } from "./deletions.ts";
import { followMachine, type Machine } from "./machine-store.ts";
import { followQuestions, type Questions } from "./questions-store.ts";
import type { Store } from "./store.ts";
import { ThreadStore } from "./thread-store.ts";
import { followThreads, type Threads } from "./threads-store.ts";

const longestWait = 120;

export class Signalbox {
  readonly connection: Connection;
  readonly threads: Store<Threads>;
  readonly questions: Store<Questions>;
  readonly machine: Store<Machine>;
  readonly deletions: Deletions;
  readonly #first: { readonly threadId: string; readonly source: ThreadStore } | null;

  /** `firstThread`: the one that the address names. */
  constructor(token: string, firstThread: string | null) {
    this.connection = new Connection(token);
    this.threads = followThreads(this.connection);
    this.questions = followQuestions(this.connection, this.threads);
    this.deletions = new Deletions(this.connection);
    this.#first =
      firstThread === null ? null : { threadId: firstThread, source: new ThreadStore(this.connection, firstThread) };
    this.#first?.source.open();
    // After what will be seen first.
    this.machine = followMachine(this.connection);
  }

  /** Resolves when the first thread can be drawn, or soon: an empty page drawn before it would only be in its way. */
  firstSight(): Promise<void> {
    const store = this.#first?.source.store;
    if (store === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        stop();
        clearTimeout(timer);
        resolve();
      };
      const stop = store.subscribe(done);
      const timer = setTimeout(done, longestWait);
    });
  }

  /** The store of a thread; who uses it opens and closes it. */
  thread(threadId: string): ThreadStore {
    return this.#first?.threadId === threadId ? this.#first.source : new ThreadStore(this.connection, threadId);
  }
}
