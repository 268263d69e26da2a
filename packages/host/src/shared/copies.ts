// Keeps copies of other machines' threads that somebody opened, in a register of its own that is empty at every start. They are read like
// threads of this machine, and only what is new is fetched.
import type { RemoteThread, SharedReader } from "@signalbox/postgres";
import type { Change } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";

/** Events of one request to the database. */
const maxEvents = 500;

interface Source {
  readonly machine: string;
  readonly generation: number;
}

export class Copies {
  readonly register: Register;
  readonly #reader: SharedReader;
  readonly #sources = new Map<string, Source>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(register: Register, reader: SharedReader, publish: (changes: readonly Change[]) => void) {
    this.register = register;
    this.#reader = reader;
    // Lists show the row that its own machine wrote.
    register.onChanges((changes) => publish(changes.filter(({ stream }) => stream !== "threads")));
  }

  has(threadId: string): boolean {
    return this.#sources.has(threadId);
  }

  /** Brings the copy to where the shared database is; one thread at a time is one request at a time. */
  async bringUpToDate(thread: RemoteThread): Promise<void> {
    const { id } = thread.row;
    const before = this.#running.get(id) ?? Promise.resolve();
    const next = before.catch(() => {}).then(() => this.#fetch(thread));
    this.#running.set(id, next);
    try {
      await next;
    } finally {
      if (this.#running.get(id) === next) this.#running.delete(id);
    }
  }

  async drop(threadId: string): Promise<void> {
    if (!this.#sources.delete(threadId)) return;
    await this.register.deleteThread(threadId).catch(() => {});
  }

  async #fetch({ machine, generation, seq, row: { id } }: RemoteThread): Promise<void> {
    const source = this.#sources.get(id);
    if (source?.machine !== machine || source.generation !== generation) {
      await this.drop(id);
      this.#sources.set(id, { machine, generation });
    }
    for (;;) {
      const at = (await this.register.getThread(id))?.last_seq ?? 0;
      if (at >= seq) return;
      const events = await this.#reader.events(machine, id, at, maxEvents);
      if (events.length === 0) return;
      await this.register.addCopies(id, events);
    }
  }
}
