// One open thread for components, which get at most one new state per frame. An old part of the thread, opened from a search, is kept beside the
// live end until the two meet.
import { type HostConnection, ThreadFollower } from "@signalbox/client";
import { applyOlderPage, type ThreadView, type TimelineItem } from "@signalbox/protocol";
import { FrameBatch } from "./frame-batch.ts";
import { Store } from "./store.ts";

/** An old part of the thread, apart from its live end. */
interface Past {
  readonly items: readonly TimelineItem[];
  readonly hasOlder: boolean;
}

export interface OpenThread {
  readonly view: ThreadView | null;
  readonly past: Past | null;
  /** Why the thread cannot be shown. */
  readonly error: string | null;
}

const pageSize = 200;

export class ThreadStore {
  readonly store = new Store<OpenThread>({ view: null, past: null, error: null });
  readonly #connection: HostConnection;
  readonly #threadId: string;
  readonly #follower: ThreadFollower;
  readonly #batch = new FrameBatch(() => this.store.set({ view: this.#view, past: this.#past, error: this.#error }));
  #past: Past | null = null;
  #error: string | null = null;
  #loading: Promise<void> | null = null;
  /** Counts the places that a person wanted to see: only the last one is shown. */
  #place = 0;

  constructor(connection: HostConnection, threadId: string) {
    this.#connection = connection;
    this.#threadId = threadId;
    this.#follower = new ThreadFollower(connection, threadId, {
      onView: () => {
        this.#error = null;
        this.#batch.request();
        // The first state is shown without waiting for a frame.
        if (this.store.get().view === null) this.#batch.flush();
      },
      onProblem: (reason) => {
        this.#error = reason;
        this.#batch.request();
        this.#batch.flush();
      },
    });
  }

  get #view(): ThreadView | null {
    return this.#follower.view;
  }

  /** Follows the thread until it is closed. Opening it twice has no effect. */
  open(): void {
    this.#follower.open();
  }

  close(): void {
    // Opened again, it starts at the end. The old part must not be shown then for a moment: a jump would end in it.
    this.#past = null;
    this.store.set({ view: this.#view, past: null, error: this.#error });
    this.#follower.close();
  }

  /** Loads the page before the first item. */
  async loadOlder(): Promise<void> {
    const items = this.#past?.items ?? this.#view?.timeline ?? [];
    const first = items[0];
    const hasOlder = this.#past?.hasOlder ?? this.#view?.has_more ?? false;
    if (!hasOlder || first === undefined) return;
    await this.#load(async () => {
      const older = await this.#timeline({ before_seq: first.seq });
      await this.#addTurns(older.items[0]?.seq ?? 0);
      if (this.#past !== null) this.#past = { items: [...older.items, ...this.#past.items], hasOlder: older.hasMore };
      else this.#follower.edit((view) => applyOlderPage(view, older.items, older.hasMore));
    });
  }

  /** Loads the page after an old part of the thread. Where it reaches the live end, the two are joined. */
  async loadNewer(): Promise<void> {
    const last = this.#past?.items.at(-1);
    if (this.#past === null || last === undefined) return;
    await this.#load(async () => {
      const newer = await this.#timeline({ after_seq: last.seq });
      if (this.#past === null || this.#view === null) return;
      const { items, hasOlder } = this.#past;
      const joined = [...items, ...newer.items];
      const liveFirst = this.#view.timeline[0]?.seq ?? 0;
      if (newer.hasMore && (joined.at(-1)?.seq ?? 0) < liveFirst) this.#past = { items: joined, hasOlder };
      else {
        this.#follower.edit((view) => applyOlderPage(view, joined, hasOlder));
        this.#past = null;
      }
    });
  }

  /** The place of the next or the previous prompt, loaded or not; null when there is none. */
  async findPrompt(seq: number, step: 1 | -1): Promise<number | null> {
    const from = step > 0 ? { after_seq: seq } : { before_seq: seq };
    const args = { thread_id: this.#threadId, role: "user", limit: 1, ...from } as const;
    const { rows } = await this.#connection.query("messages.list", args);
    return rows[0]?.seq ?? null;
  }

  /** Loads the item at `seq` and those around it, if it is not loaded. */
  async goTo(seq: number): Promise<void> {
    const place = ++this.#place;
    const live = this.#view?.timeline[0]?.seq;
    if (live === undefined || this.#view?.has_more === false || seq >= live) {
      this.#past = null;
      this.#batch.request();
      this.#batch.flush();
      return;
    }
    if (this.#past?.items.some((item) => item.seq === seq) === true) return;
    await this.#loadAfterOthers(async () => {
      const [before, after] = await Promise.all([
        this.#timeline({ before_seq: seq, limit: 60 }),
        this.#timeline({ after_seq: seq - 1, limit: 60 }),
      ]);
      await this.#addTurns(before.items[0]?.seq ?? seq);
      if (place === this.#place) this.#past = { items: [...before.items, ...after.items], hasOlder: before.hasMore };
    });
  }

  /** Shows the beginning of the thread, however long it is; gives the place of its first item. */
  async toStart(): Promise<number | null> {
    if (this.#view?.has_more === false) this.toEnd();
    const place = ++this.#place;
    if (this.#view?.has_more !== false && this.#past?.hasOlder !== false) {
      await this.#loadAfterOthers(async () => {
        const { items } = await this.#timeline({ after_seq: 0 });
        await this.#addTurns(0);
        if (place === this.#place) this.#past = { items, hasOlder: false };
      });
      if (place !== this.#place) return null;
    }
    const items = this.#past?.items ?? this.#view?.timeline ?? [];
    return items[0]?.seq ?? null;
  }

  /** Shows the live end again. */
  toEnd(): void {
    this.#place++;
    this.#past = null;
    this.#batch.request();
    this.#batch.flush();
  }

  /** Does nothing while another part is loading. */
  async #load(work: () => Promise<void>): Promise<void> {
    if (this.#loading === null) await this.#run(work);
  }

  /** Loads what a person asked to see, after the present loads have finished. */
  async #loadAfterOthers(work: () => Promise<void>): Promise<void> {
    while (this.#loading !== null) await this.#loading.catch(() => {});
    await this.#run(work);
  }

  async #run(work: () => Promise<void>): Promise<void> {
    try {
      this.#loading = work();
      await this.#loading;
    } finally {
      this.#loading = null;
    }
    this.#batch.request();
    this.#batch.flush();
  }

  async #timeline(range: { before_seq?: number; after_seq?: number; limit?: number }) {
    const args = { thread_id: this.#threadId, limit: pageSize, ...range };
    const { rows, next_cursor } = await this.#connection.query("timeline.list", args);
    return { items: rows, hasMore: next_cursor !== undefined };
  }

  /** A snapshot has the newest turns; older ones are loaded with the older items. */
  async #addTurns(fromSeq: number): Promise<void> {
    const known = this.#view?.turns[0];
    if (known === undefined || known.seq <= fromSeq) return;
    const args = { thread_id: this.#threadId, after_seq: Math.max(0, fromSeq - 1), limit: 1000 };
    const { rows } = await this.#connection.query("turns.list", args);
    this.#follower.edit((view) => {
      const here = new Set(view.turns.map((turn) => turn.turn_id));
      const unseen = rows.filter((turn) => !here.has(turn.turn_id));
      return { ...view, turns: [...unseen, ...view.turns].toSorted((a, b) => a.seq - b.seq) };
    });
  }
}
