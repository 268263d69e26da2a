// Passes committed changes to the screens that follow them. Each change is encoded once for all listeners.
import type { Change, ProgressMessage } from "@signalbox/protocol";

/** A change and its JSON, which is made when the first listener needs it. */
export class Frame {
  readonly change: Change;
  #text: string | undefined;

  constructor(change: Change) {
    this.change = change;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.change);
    return this.#text;
  }
}

/** Gets each change; null when what it has may be wrong, and all of it has to be read again. */
export type FrameListener = (frame: Frame | null) => void;

export class FanOut {
  readonly #screens = new Set<(message: ProgressMessage) => void>();
  readonly #threads = new Set<FrameListener>();
  readonly #byThread = new Map<string, Set<FrameListener>>();

  publish(changes: readonly Change[]): void {
    for (const change of changes) {
      const listeners = change.stream === "threads" ? this.#threads : this.#byThread.get(change.thread_id);
      if (listeners === undefined || listeners.size === 0) continue;
      const frame = new Frame(change);
      for (const listener of listeners) listener(frame);
    }
  }

  /** A thread's rows were replaced: screens that show it get all of it again. */
  startOver(threadId: string): void {
    for (const listener of this.#byThread.get(threadId) ?? []) listener(null);
  }

  get hasListFollowers(): boolean {
    return this.#threads.size > 0;
  }

  isFollowed(threadId: string): boolean {
    return this.#byThread.has(threadId);
  }

  /** Sends to every connected screen, whatever it follows. */
  sendProgress(message: ProgressMessage): void {
    for (const screen of this.#screens) screen(message);
  }

  onProgress(screen: (message: ProgressMessage) => void): () => void {
    this.#screens.add(screen);
    return () => this.#screens.delete(screen);
  }

  followThreads(listener: FrameListener): () => void {
    this.#threads.add(listener);
    return () => this.#threads.delete(listener);
  }

  followThread(threadId: string, listener: FrameListener): () => void {
    const listeners = this.#byThread.get(threadId) ?? new Set();
    this.#byThread.set(threadId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#byThread.delete(threadId);
    };
  }
}
