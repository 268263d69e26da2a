// Follows one thread: applies the host's messages with the reducer, and subscribes again after a gap, a reconnect, or a failure that may pass.
import { applyChange, applySnapshot, messageOf, type ServerMessage, type ThreadView } from "@signalbox/protocol";
import { mayPass, retryDelayMs } from "./ask-again.ts";
import type { HostConnection } from "./host-connection.ts";

export interface ThreadListener {
  /** Gets the thread after each change. */
  onView(view: ThreadView): void;
  /** Gets the reason why the thread cannot be followed (now). */
  onProblem(reason: string): void;
}

export class ThreadFollower {
  readonly #connection: HostConnection;
  readonly #threadId: string;
  readonly #listener: ThreadListener;
  #view: ThreadView | null = null;
  #stop: (() => void)[] = [];
  /** The subscription that is not answered yet; null when there is none. */
  #subscribing: Promise<void> | null = null;
  /** How often in a row the host could not answer it. */
  #failures = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: HostConnection, threadId: string, listener: ThreadListener) {
    this.#connection = connection;
    this.#threadId = threadId;
    this.#listener = listener;
  }

  /** Null until the first snapshot. */
  get view(): ThreadView | null {
    return this.#view;
  }

  /** Changes the view beside the host's messages: adds a page of older items. */
  edit(change: (view: ThreadView) => ThreadView): void {
    if (this.#view !== null) this.#view = change(this.#view);
  }

  /** Follows the thread until it is closed. Opening it twice has no effect. */
  open(): void {
    if (this.#stop.length > 0) return;
    this.#stop = [
      this.#connection.onMessage((message) => this.#receive(message)),
      this.#connection.onStatus(() => this.#subscribe()),
    ];
    this.#subscribe();
  }

  close(): void {
    for (const stop of this.#stop) stop();
    this.#stop = [];
    clearTimeout(this.#retryTimer);
    // An open question does not count when the thread is opened again: the host ends its subscription now.
    this.#subscribing = null;
    // Without a connection there is no subscription either.
    this.#connection.request("tvx.unsubscribe", { stream: "thread", thread_id: this.#threadId }).catch(() => {});
  }

  #receive(message: ServerMessage): void {
    const view = this.#view;
    if (message.type === "tinyvex.snapshot") {
      if (message.stream === "thread" && message.thread_id === this.#threadId) this.#show(applySnapshot(view, message));
    } else if (message.type === "tinyvex.update" && message.stream === "threads") {
      if (view !== null && "row" in message && message.row.id === this.#threadId)
        this.#show({ ...view, thread: message.row });
      if ("deleted" in message && message.deleted === this.#threadId)
        this.#listener.onProblem("This thread was deleted.");
    } else if (message.type === "tinyvex.update" || message.type === "tinyvex.finalize") {
      if (view !== null && message.thread_id === this.#threadId) this.#show(applyChange(view, message));
    }
  }

  #show(view: ThreadView): void {
    this.#view = view;
    this.#failures = 0;
    this.#listener.onView(view);
    if (view.gap) this.#subscribe();
  }

  #subscribe(): void {
    if (this.#connection.status !== "open" || this.#subscribing !== null) return;
    const since = this.#view === null ? {} : { after_seq: this.#view.seq };
    const params = { stream: "thread", thread_id: this.#threadId, ...since } as const;
    const subscribing = this.#connection.request("tvx.subscribe", params);
    this.#subscribing = subscribing;
    subscribing
      .catch((error: unknown) => {
        if (this.#connection.status !== "open" || this.#subscribing !== subscribing) return;
        this.#listener.onProblem(messageOf(error));
        if (mayPass(error)) this.#retryTimer = setTimeout(() => this.#subscribe(), retryDelayMs(++this.#failures));
      })
      .finally(() => {
        if (this.#subscribing !== subscribing) return;
        this.#subscribing = null;
        // There may have been a reconnect in the meantime, or the answer itself may have a gap.
        if (this.#view?.gap === true) this.#subscribe();
      });
  }
}

/** Calls back with the thread, now and after each change. Resolves at the first view to a function that stops it; throws when there is none. */
export function followThread(
  connection: HostConnection,
  threadId: string,
  listener: (view: ThreadView) => void,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const follower = new ThreadFollower(connection, threadId, {
      onView: (view) => {
        resolve(() => follower.close());
        listener(view);
      },
      onProblem: (reason) => reject(new Error(reason)),
    });
    follower.open();
  });
}
