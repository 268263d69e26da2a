// The connection to the host and the stores that follow it. Created before the page is drawn, so that the first thread loads meanwhile.
import { Connection } from "../connection/connection.ts";
import { Deletions } from "./deletions.ts";
import { followHostMachine, type HostMachine } from "./host-machine-store.ts";
import { followQuestions, type Questions } from "./questions-store.ts";
import type { Store } from "./store.ts";
import { ThreadStore } from "./thread-store.ts";
import { followThreads, type Threads } from "./threads-store.ts";

const maxWaitMs = 120;

export class Signalbox {
  readonly connection: Connection;
  readonly threads: Store<Threads>;
  readonly questions: Store<Questions>;
  readonly machine: Store<HostMachine>;
  readonly deletions: Deletions;
  readonly #first: { readonly threadId: string; readonly source: ThreadStore } | null;

  /** `firstThread`: the thread in the address. */
  constructor(token: string, firstThread: string | null) {
    this.connection = new Connection(token);
    this.threads = followThreads(this.connection);
    this.questions = followQuestions(this.connection);
    this.deletions = new Deletions(this.connection);
    this.#first =
      firstThread === null ? null : { threadId: firstThread, source: new ThreadStore(this.connection, firstThread) };
    this.#first?.source.open();
    // After the first thread, which is shown first.
    this.machine = followHostMachine(this.connection);
  }

  /** Resolves when the first thread is loaded, or after a short time. Drawing an empty page before would only delay it. */
  whenFirstThreadLoaded(): Promise<void> {
    const store = this.#first?.source.store;
    if (store === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        stop();
        clearTimeout(timer);
        resolve();
      };
      const stop = store.subscribe(done);
      const timer = setTimeout(done, maxWaitMs);
    });
  }

  /** The store of a thread. The caller opens and closes it. */
  thread(threadId: string): ThreadStore {
    return this.#first?.threadId === threadId ? this.#first.source : new ThreadStore(this.connection, threadId);
  }
}
