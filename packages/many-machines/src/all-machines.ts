// Answers queries about the threads of all machines: those of this one from its register, the others from the shared database. While the
// database cannot be reached, it lists what it last read of the others (known-threads.ts), and searches and counts on this machine alone.
import { setTimeout as wait } from "node:timers/promises";
import type {
  AnswerMessage,
  Change,
  CheckedRequest,
  MachineRow,
  QueryArgs,
  QueryPage,
  RegisterQueryName,
  ThreadRow,
  ThreadSnapshot,
  ThreadSummaryRow,
} from "@signalbox/protocol";
import { HostError } from "@signalbox/protocol";
import {
  type BlobRange,
  chooseLimit,
  parseCursor,
  type Register,
  type RegisterReader,
  toCursor,
} from "@signalbox/tinyvex";
import { makeBlobRow } from "./blob-part.ts";
import type { ThreadCopies } from "./copies.ts";
import type { Commands, RemoteChange, RemoteThread, SharedReader } from "./database/index.ts";
import { failIfLate, maxWaitMs } from "./fail-if-late.ts";
import type { Followers } from "./followers.ts";
import { KnownThreads } from "./known-threads.ts";
import { mergeFacets } from "./merge-facets.ts";
import { sendRequest } from "./remote-commands.ts";
import { RemoteQuestions } from "./remote-questions.ts";

/** The part of the register that the server reads threads through. */
export type ThreadReader = Pick<RegisterReader, "getThread" | "snapshot" | "query" | "readBlob">;

/** How sharing stands on this machine. */
interface SharingStatus {
  /** Null when all is well. */
  readonly problem: string | null;
  readonly control: MachineRow["control"];
}

/** The other machines, while the database can be reached. */
export interface OtherMachines {
  readonly reader: SharedReader;
  readonly copies: ThreadCopies;
  readonly commands: Commands;
}

/** Queries that are answered from all machines together; the others are about one thread. */
type MergedQueries = {
  readonly [Name in RegisterQueryName]?: (args: QueryArgs<Name>) => Promise<QueryPage<Name>>;
};

/** Rows of lists are read again at most so often. */
const listMs = 100;
const newest = [Number.MAX_SAFE_INTEGER, ""] as const;

export class AllMachines implements ThreadReader {
  readonly machine: string;
  readonly #register: Register;
  readonly #followers: Followers;
  /** Null while the database cannot be reached. */
  readonly #others: () => OtherMachines | null;
  readonly #status: () => SharingStatus;
  /** The copies of threads that were opened, also while the database cannot be reached; null before it was reached first. */
  readonly #copies: () => ThreadCopies | null;
  readonly #questions = new RemoteQuestions();
  readonly #known = new KnownThreads();
  readonly #listed = new Set<string>();
  readonly #merged: MergedQueries;
  #isListing = false;

  constructor(
    machine: string,
    register: Register,
    followers: Followers,
    others: () => OtherMachines | null,
    copies: () => ThreadCopies | null,
    status: () => SharingStatus,
  ) {
    this.machine = machine;
    this.#register = register;
    this.#followers = followers;
    this.#others = others;
    this.#copies = copies;
    this.#status = status;
    this.#merged = {
      "threads.list": (args) => this.#listThreads(args),
      search: (args) => this.#search(args),
      stats: (args) => this.#countStats(args),
      "blob.get": (args) => this.#getBlob(args),
      "facets.list": () => this.#listFacets(),
      "questions.list": (args) => this.#listQuestions(args),
    };
  }

  /** Changes of this machine's register as they are published. */
  markOwnChanges(changes: readonly Change[]): readonly Change[] {
    return changes.map((change) =>
      "row" in change && change.stream === "threads" ? { ...change, row: this.#markOwn(change.row) } : change,
    );
  }

  /** This machine first, then the others by name, as far as they are known now. */
  async list(): Promise<readonly MachineRow[]> {
    const found = await this.#ask(({ reader }) => reader.listMachines(), null);
    if (found !== null) this.#known.rememberMachines(found);
    const others = (found ?? this.#known.listMachines()).filter(({ machine }) => machine !== this.machine);
    return [
      { machine: this.machine, own: true, online: true, ...this.#status() },
      ...others.map((presence) => ({ ...presence, own: false, problem: null })),
    ];
  }

  /** Throws for a thread of another machine: `what` is known only there. */
  async refuseElsewhere(threadId: string, what: string): Promise<void> {
    if ((await this.#register.getThread(threadId)) !== null) return;
    const remote = await this.findRemote(threadId);
    if (remote !== null)
      throw new HostError("unavailable", `This thread is on the machine ${remote.machine}. ${what} only there.`);
  }

  /** Returns null if no machine has the thread, or if its machine cannot be asked. */
  async getThread(threadId: string): Promise<ThreadSummaryRow | null> {
    const local = await this.#register.getThread(threadId);
    return local === null ? ((await this.findRemote(threadId))?.row ?? null) : this.#markOwn(local);
  }

  /** Runs a request on the machine that has its thread, or that it names. Null where that is this machine, or none. */
  async sendElsewhere(request: CheckedRequest): Promise<AnswerMessage | null> {
    const machine = await this.#findMachine(request);
    if (machine === null) return null;
    const answer = await sendRequest(this.#others()?.commands ?? null, machine, request);
    // A new thread can be opened as soon as it is answered.
    if (request.name === "session.create" && answer.type === "tinyvex.ok" && answer.thread_id !== undefined)
      await this.#waitForThread(answer.thread_id);
    return answer;
  }

  /** Waits for the row of another machine's new thread, for a moment. */
  async #waitForThread(threadId: string): Promise<void> {
    for (let waited = 0; waited < maxWaitMs; waited += listMs) {
      if ((await this.findRemote(threadId)) !== null) return;
      await wait(listMs, undefined, { ref: false });
    }
  }

  async #findMachine({ name, params }: CheckedRequest): Promise<string | null> {
    if (name === "session.create")
      return params.machine === undefined || params.machine === this.machine ? null : params.machine;
    const threadId = readThreadId(params);
    if (threadId === null || (await this.#register.getThread(threadId)) !== null) return null;
    return (await this.findRemote(threadId))?.machine ?? null;
  }

  /** As it is in the shared database, or as it was when that was last reached. */
  async findRemote(threadId: string): Promise<RemoteThread | null> {
    const others = this.#others();
    const known = this.#known.find(threadId);
    if (others === null) return known;
    try {
      const found = await failIfLate(others.reader.find([threadId]));
      this.#known.remember(found);
      return found[0] ?? null;
    } catch (error) {
      if (known === null) throw error;
      return known;
    }
  }

  async snapshot(threadId: string, options: { after_seq?: number; limit?: number } = {}): Promise<ThreadSnapshot> {
    const remote = await this.#openRemote(threadId);
    if (remote === null) {
      const snapshot = await this.#register.snapshot(threadId, options);
      return { ...snapshot, thread: this.#markOwn(snapshot.thread) };
    }
    const snapshot = await remote.copies.register.snapshot(threadId, options);
    const { machine, machine_online: online } = remote.thread.row;
    return {
      ...snapshot,
      thread: { ...snapshot.thread, ...(machine && { machine }), machine_online: online === true },
    };
  }

  async query<Name extends RegisterQueryName>(name: Name, args: QueryArgs<Name>): Promise<QueryPage<Name>> {
    const merged: MergedQueries[Name] = this.#merged[name];
    if (merged !== undefined) return await merged(args);
    const threadId = readThreadId(args);
    const remote = threadId === null ? null : await this.#openRemote(threadId);
    return await (remote?.copies.register ?? this.#register).query(name, args);
  }

  async readBlob(hash: string, range: { offset?: number; length?: number } = {}): Promise<BlobRange> {
    try {
      return await this.#register.readBlob(hash, range);
    } catch (error) {
      const bytes = await this.#readRemoteBlob(hash);
      if (bytes === null) throw error;
      const { offset = 0, length = bytes.length } = range;
      return { hash, size: bytes.length, offset, bytes: bytes.subarray(offset, offset + length) };
    }
  }

  /** Updates the copies of threads that a screen follows, and sends the new rows to lists. */
  takeChanges(changes: readonly RemoteChange[]): void {
    const others = this.#others();
    if (others === null) return;
    for (const { threadId, seq } of changes) {
      if (seq === 0) {
        this.#known.forget(threadId);
        void others.copies.drop(threadId);
        this.#followers.publish([{ type: "tinyvex.update", stream: "threads", deleted: threadId }]);
      } else if (this.#followers.isFollowed(threadId)) void this.#follow(threadId);
      if (seq > 0) this.#listed.add(threadId);
    }
    this.#publishListed().catch(() => {}); // the next look at the database shows it
  }

  /** Sends the newest threads of these machines to lists again, because machines came or went. */
  async takePresence(machines?: readonly string[]): Promise<void> {
    if (!this.#followers.hasListFollowers) return;
    const found = await this.#ask(({ reader }) => reader.listThreads({}, newest, 200), []);
    this.#publishRows(found.filter(({ machine }) => machines?.includes(machine) ?? true));
  }

  async #follow(threadId: string): Promise<void> {
    await this.#openRemote(threadId).catch(() => null);
  }

  /** A burst of changes is one read. */
  async #publishListed(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      while (this.#listed.size > 0) {
        const ids = [...this.#listed];
        this.#listed.clear();
        if (this.#followers.hasListFollowers) this.#publishRows(await this.#ask(({ reader }) => reader.find(ids), []));
        await wait(listMs, undefined, { ref: false });
      }
    } finally {
      this.#isListing = false;
    }
  }

  #publishRows(threads: readonly RemoteThread[]): void {
    this.#known.remember(threads);
    this.#followers.publish(threads.map(({ row }) => ({ type: "tinyvex.update", stream: "threads", row })));
  }

  #markOwn<Row extends ThreadRow>(row: Row): Row {
    return { ...row, machine: this.machine, machine_online: true };
  }

  /** The copy of another machine's thread, up to date where that is possible; null for one of this machine, and for one that no machine has. */
  async #openRemote(
    threadId: string,
  ): Promise<{ readonly copies: ThreadCopies; readonly thread: RemoteThread } | null> {
    const copies = this.#copies();
    if (copies === null || (await this.#register.getThread(threadId)) !== null) return null;
    const thread = await this.findRemote(threadId);
    if (thread === null) return null;
    const others = this.#others();
    if (others !== null) await others.copies.bringUpToDate(thread);
    else if ((await copies.register.getThread(threadId)) === null)
      throw new HostError(
        "unavailable",
        `This thread is on the machine ${thread.machine}. The shared database does not answer, and the thread was not opened here before.`,
      );
    return { copies, thread };
  }

  async #listRemote(
    args: QueryArgs<"threads.list">,
    after: readonly [number, string],
    limit: number,
  ): Promise<readonly RemoteThread[]> {
    const found = await this.#ask(({ reader }) => reader.listThreads(args, after, limit), null);
    if (found === null) return this.#known.list(args, after, limit);
    this.#known.remember(found);
    return found;
  }

  async #listThreads(args: QueryArgs<"threads.list">): Promise<QueryPage<"threads.list">> {
    const limit = chooseLimit(args);
    const [updatedAt, id] = parseCursor(args) ?? newest;
    const after = [Number(updatedAt), String(id)] as const;
    const [local, remote] = await Promise.all([
      // Several lists are merged by their times.
      this.#register.query("threads.list", { ...args, newest_first: true }),
      // Threads of other machines are pinned in the lists of those machines.
      args.pinned === true ? [] : this.#listRemote(args, after, limit + 1),
    ]);
    const own = local.rows.map((row) => this.#markOwn(row));
    const ids = new Set(own.map((row) => row.id));
    const others = remote.map(({ row }) => row).filter((row) => !ids.has(row.id));
    const rows = [...own, ...others].toSorted((a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1));
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const isMore = rows.length > limit || local.next_cursor !== undefined;
    return isMore && last !== undefined
      ? { rows: page, next_cursor: toCursor([last.updated_at, last.id]) }
      : { rows: page };
  }

  /** Hits of this machine and of the others in turns, each side best or newest first. */
  async #search(args: QueryArgs<"search">): Promise<QueryPage<"search">> {
    const limit = chooseLimit(args);
    const [own = "", before = Number.MAX_SAFE_INTEGER] = parseCursor(args) ?? [];
    const { cursor: _, ...first } = args;
    const local =
      own === "end"
        ? { rows: [] }
        : await this.#register.query("search", own === "" ? first : { ...first, cursor: String(own) });
    const remote =
      before === 0 || args.text.trim() === ""
        ? []
        : await this.#ask(({ reader }) => reader.search(args, Number(before), limit), []);
    const here = local.rows.map((hit) => ({ ...hit, machine: this.machine }));
    const rows = Array.from({ length: Math.max(here.length, remote.length) }, (_each, index) => [
      here[index],
      remote[index],
    ])
      .flat()
      .filter((hit) => hit !== undefined);
    const nextOwn = local.next_cursor ?? "end";
    const nextBefore = remote.length < limit ? 0 : (remote.at(-1)?.ts ?? 1) - 1;
    return nextOwn === "end" && nextBefore === 0 ? { rows } : { rows, next_cursor: toCursor([nextOwn, nextBefore]) };
  }

  async #countStats(args: QueryArgs<"stats">): Promise<QueryPage<"stats">> {
    const limit = chooseLimit(args);
    const local = await this.#register.query("stats", args);
    const remote = await this.#ask(({ reader }) => reader.countStats(args, Date.now(), limit), []);
    const rows = [...local.rows.map((row) => ({ ...row, machine: this.machine })), ...remote];
    const isByPath = args.group_by?.includes("path") === true;
    return { rows: isByPath ? rows.toSorted((a, b) => b.count - a.count).slice(0, limit) : rows };
  }

  /** The threads of all machines counted together. */
  async #listFacets(): Promise<QueryPage<"facets.list">> {
    const local = await this.#register.query("facets.list", {});
    const remote = await this.#ask(({ reader }) => reader.listFacets(), []);
    return { rows: mergeFacets(local.rows, remote) };
  }

  /** Lists the questions of this machine page by page, and the few of other machines with the first page. */
  async #listQuestions(args: QueryArgs<"questions.list">): Promise<QueryPage<"questions.list">> {
    const local = await this.#register.query("questions.list", args);
    const own = local.rows.map((row) => ({ ...row, machine: this.machine }));
    const others = this.#others();
    if (others === null || (args.cursor ?? null) !== null) return { ...local, rows: own };
    const onLate = () => void this.takePresence();
    const remote = await this.#questions.read(others.reader, others.copies, onLate).catch(() => []);
    return { ...local, rows: [...own, ...remote].toSorted((a, b) => a.created_at - b.created_at) };
  }

  async #getBlob(args: QueryArgs<"blob.get">): Promise<QueryPage<"blob.get">> {
    try {
      return await this.#register.query("blob.get", args);
    } catch (error) {
      const bytes = await this.#readRemoteBlob(args.hash);
      if (bytes === null) throw error;
      return { rows: [makeBlobRow(args, bytes)] };
    }
  }

  /** From a copy, where the thread was opened, else from the database. */
  async #readRemoteBlob(hash: string): Promise<Buffer | null> {
    return await this.#ask(async ({ reader, copies }) => {
      const copied = await copies.register.readBlob(hash).catch(() => null);
      return copied === null ? await reader.readBlob(hash) : Buffer.from(copied.bytes);
    }, null);
  }

  /** Asks the other machines. Returns `without` if they do not answer in time. */
  async #ask<Result, Without>(
    work: (others: OtherMachines) => Promise<Result>,
    without: Without,
  ): Promise<Result | Without> {
    const others = this.#others();
    if (others === null) return without;
    return await failIfLate(work(others)).catch(() => without);
  }
}

function readThreadId(args: object): string | null {
  return "thread_id" in args && typeof args.thread_id === "string" ? args.thread_id : null;
}
