import { type HostConnection, Store } from "@signalbox/react";

// Which paths in the texts of a thread are files of its folder, as the host says. Asked together, and again when a turn has ended: it may have made some.

/** As many as one question may have. */
const maxAsked = 100;
/** A text with more of them is no text for a person. */
const maxPaths = 2000;

export class CheckedPaths {
  /** The path from the thread's folder, by the path in the text. */
  readonly found = new Store<ReadonlyMap<string, string>>(new Map());
  readonly #connection: HostConnection;
  readonly #threadId: string;
  readonly #waiting = new Set<string>();
  /** By path: at which end of a turn it was asked about. */
  readonly #asked = new Map<string, string>();

  constructor(connection: HostConnection, threadId: string) {
    this.#connection = connection;
    this.#threadId = threadId;
  }

  /** `moment` changes when there may be new files. */
  check(path: string, moment: string): void {
    if (this.found.get().has(path) || this.#asked.get(path) === moment) return;
    if (!this.#asked.has(path) && this.#asked.size >= maxPaths) return;
    this.#asked.set(path, moment);
    // All texts that appear together are asked about together.
    if (this.#waiting.size === 0) setTimeout(() => void this.#ask());
    this.#waiting.add(path);
  }

  async #ask(): Promise<void> {
    const paths = [...this.#waiting];
    this.#waiting.clear();
    for (let at = 0; at < paths.length; at += maxAsked) {
      const some = paths.slice(at, at + maxAsked);
      try {
        const { rows } = await this.#connection.query("files.check", { thread_id: this.#threadId, paths: some });
        if (rows.length > 0)
          this.found.set(new Map([...this.found.get(), ...rows.map(({ path, name }) => [path, name] as const)]));
      } catch {
        // Without a connection, or on another machine, texts have no links.
        for (const path of some) this.#asked.delete(path);
      }
    }
  }
}
