// The connection to a host and the stores that follow it. Created before anything is drawn, so that the first thread loads meanwhile.
import { HostConnection } from "@signalbox/client";
import { followHostMachine, type HostMachine } from "./host-machine-store.ts";
import { followQuestions, type Questions } from "./questions-store.ts";
import type { Store } from "./store.ts";
import { ThreadStore } from "./thread-store.ts";
import { followThreads, type Threads } from "./threads-store.ts";

const maxWaitMs = 120;

export interface ClientOptions {
  readonly token: string;
  /** Where the host listens, such as `http://127.0.0.1:4280`; without it, where this page came from. */
  readonly address?: string | undefined;
  /** A thread to follow from the start, before anything else is asked for. */
  readonly firstThread?: string | null;
}

export class SignalboxClient {
  readonly connection: HostConnection;
  readonly threads: Store<Threads>;
  readonly questions: Store<Questions>;
  readonly machine: Store<HostMachine>;
  readonly #retryNow = (): void => this.connection.retryNow();
  readonly #first: { readonly threadId: string; readonly source: ThreadStore } | null;

  constructor({ firstThread = null, token, address = location.origin }: ClientOptions) {
    this.connection = new HostConnection({ token, address });
    addEventListener("online", this.#retryNow);
    this.threads = followThreads(this.connection);
    this.questions = followQuestions(this.connection);
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

  /** Ends the connection. The stores keep what they have. */
  close(): void {
    removeEventListener("online", this.#retryNow);
    void this.connection.close();
  }
}
