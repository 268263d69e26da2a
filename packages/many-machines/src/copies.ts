// Keeps copies of those threads of other machines that were opened here, in a separate register that is empty at every start. They are read
// like threads of this machine, and only new events are fetched.

import { SerialQueue } from "@signalbox/base";
import type { Register } from "@signalbox/tinyvex";
import type { RemoteThread, SharedReader } from "./database/index.ts";
import type { Followers } from "./followers.ts";

/** Events of one request to the database. */
const maxEvents = 500;

interface Source {
  readonly machine: string;
  readonly generation: number;
}

export class ThreadCopies {
  readonly register: Register;
  readonly #reader: SharedReader;
  readonly #sources = new Map<string, Source>();
  readonly #queues = new Map<string, SerialQueue>();
  /** Threads that were dropped. One that is opened again has another log. */
  readonly #dropped = new Set<string>();
  readonly #followers: Pick<Followers, "publish" | "startOver">;

  constructor(register: Register, reader: SharedReader, followers: Pick<Followers, "publish" | "startOver">) {
    this.register = register;
    this.#reader = reader;
    this.#followers = followers;
    // Lists show the row that the thread's own machine wrote.
    register.onChanges((changes) => followers.publish(changes.filter(({ stream }) => stream !== "threads")));
  }

  /** Fetches the events that the copy lacks. */
  bringUpToDate(thread: RemoteThread): Promise<void> {
    return this.#runInTurn(thread.row.id, () => this.#fetch(thread));
  }

  drop(threadId: string): Promise<void> {
    return this.#runInTurn(threadId, () => this.#drop(threadId));
  }

  /** One thing at a time for each thread. */
  async #runInTurn(threadId: string, work: () => Promise<void>): Promise<void> {
    const queue = this.#queues.get(threadId) ?? new SerialQueue();
    this.#queues.set(threadId, queue);
    try {
      await queue.run(work);
    } finally {
      if (queue.isIdle) this.#queues.delete(threadId);
    }
  }

  async #drop(threadId: string): Promise<void> {
    if (!this.#sources.delete(threadId)) return;
    this.#dropped.add(threadId);
    await this.register.deleteThread(threadId).catch(() => {});
  }

  async #fetch({ machine, generation, seq, row: { id } }: RemoteThread): Promise<void> {
    const source = this.#sources.get(id);
    if (source?.machine !== machine || source.generation !== generation) {
      await this.#drop(id);
      this.#sources.set(id, { machine, generation });
    }
    for (;;) {
      const at = (await this.register.getThread(id))?.last_seq ?? 0;
      if (at >= seq) break;
      const events = await this.#reader.readEvents(machine, id, at, maxEvents);
      if (events.length === 0) break;
      await this.register.addCopies(id, events);
    }
    if (this.#dropped.delete(id)) this.#followers.startOver(id);
  }
}
