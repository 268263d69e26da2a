// Collects the events of a commit for the clients that follow a thread's log, and calls them after the commit.
import { call } from "../publisher.ts";
import type { LogEvent } from "../register.ts";
import { outputKind, type PendingEntry } from "./entry-queue.ts";

type Listener = (events: readonly LogEvent[]) => void;

export class LogFollowers {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #stored = new Map<string, LogEvent[]>();

  get isInUse(): boolean {
    return this.#listeners.size > 0;
  }

  has(threadId: string): boolean {
    return this.#listeners.has(threadId);
  }

  follow(threadId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(threadId) ?? new Set();
    this.#listeners.set(threadId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(threadId) === listeners) this.#listeners.delete(threadId);
    };
  }

  /** A transaction begins: what an earlier one stored and could not commit is forgotten. */
  begin(): void {
    this.#stored.clear();
  }

  stored(entry: PendingEntry, seq: number): void {
    const { threadId } = entry;
    if (!this.has(threadId)) return;
    const kind = entry.form === "output" ? outputKind : entry.kind;
    const events = this.#stored.get(threadId) ?? [];
    this.#stored.set(threadId, events);
    events.push({ seq, kind, sent: readSent(entry) });
  }

  /** The transaction is committed. */
  publish(): void {
    if (this.#stored.size === 0) return;
    const stored = [...this.#stored];
    this.#stored.clear();
    for (const [threadId, events] of stored) {
      for (const listener of this.#listeners.get(threadId) ?? []) call(listener, events);
    }
  }
}

function readSent(entry: PendingEntry): LogEvent["sent"] {
  switch (entry.form) {
    case "chunks":
      return entry.count === 1 && entry.sent !== null ? entry.sent.map(({ json }) => ({ json, end: 0 })) : entry.sent;
    case "event":
      return entry.source.refs.length === 0 ? [{ json: entry.source.json, end: 0 }] : null;
    case "output":
      return [];
  }
}
