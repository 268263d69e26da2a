// One open thread: the shared reducer over what the host sends. After a broken line, or a gap, it asks for what it missed.
import { applyChange, applySnapshot, type ThreadView } from "@signalbox/protocol";
import type { Connection } from "../connection/connection.ts";
import { Store } from "./store.ts";

export interface OpenThread {
  readonly view: ThreadView | null;
  /** Why the thread cannot be shown. */
  readonly error: string | null;
}

export class ThreadStore {
  readonly store = new Store<OpenThread>({ view: null, error: null });
  readonly #connection: Connection;
  readonly #threadId: string;
  #stop: (() => void)[] = [];

  constructor(connection: Connection, threadId: string) {
    this.#connection = connection;
    this.#threadId = threadId;
  }

  open(): void {
    const threadId = this.#threadId;
    this.#stop = [
      this.#connection.onMessage((message) => {
        const { view } = this.store.get();
        if (message.type === "tinyvex.snapshot" && message.stream === "thread" && message.thread_id === threadId) {
          this.#show(applySnapshot(view, message));
        } else if (message.type === "tinyvex.update" && message.stream === "threads") {
          if (view !== null && "row" in message && message.row.id === threadId) {
            this.#show({ ...view, thread: message.row });
          }
        } else if (message.type === "tinyvex.update" || message.type === "tinyvex.finalize") {
          if (view !== null && message.thread_id === threadId) this.#show(applyChange(view, message));
        }
      }),
      this.#connection.onStatus(() => this.#subscribe()),
    ];
    this.#subscribe();
  }

  close(): void {
    for (const stop of this.#stop) stop();
    const unsubscribe = { control: "tvx.unsubscribe", stream: "thread", thread_id: this.#threadId } as const;
    // Without a line there is no subscription either.
    this.#connection.request(unsubscribe).catch(() => {});
  }

  #show(view: ThreadView): void {
    this.store.set({ view, error: null });
    if (view.gap) this.#subscribe();
  }

  #subscribe(): void {
    if (this.#connection.status !== "open") return;
    const { view } = this.store.get();
    const since = view === null ? {} : { after_seq: view.seq };
    this.#connection
      .request({ control: "tvx.subscribe", stream: "thread", thread_id: this.#threadId, ...since })
      .catch((error: unknown) => {
        if (this.#connection.status !== "open") return;
        this.store.set({ view, error: error instanceof Error ? error.message : String(error) });
      });
  }
}
