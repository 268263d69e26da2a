// Declares the register's interface. It is small and async, so that another engine can implement it; SQLite is the first. Entries are accepted
// in order and without waiting. When its commit window closes, an entry is stored, and only then published.
import type {
  Change,
  Fact,
  Json,
  LogPosition,
  PortableEvent,
  PortableItems,
  RegisterQueryName,
  RunQuery,
  SizesRow,
  ThreadFork,
  ThreadGit,
  ThreadRow,
  ThreadSnapshot,
  ThreadSummaryRow,
  Update,
} from "@signalbox/protocol";
import type { LogSource } from "./log/long-text.ts";

/** One thing to keep, in the order in which it happened. `at` is when that was, for what is imported; without it, now. */
export type Entry = EntryBody & { readonly at?: number };

type EntryBody =
  /**
   * An update, as `readUpdate` read it. `source` is what `AgentLineParser` made of the agent's line: it is logged instead of an encoding of
   * `update.raw`, whose long strings may be reference objects then.
   */
  | { readonly type: "update"; readonly update: Update; readonly source?: LogSource | undefined }
  /** Any other notification of the agent: logged under its method. `source` as above. */
  | {
      readonly type: "notification";
      readonly method: string;
      readonly params: unknown;
      readonly source?: LogSource | undefined;
    }
  | { readonly type: "fact"; readonly fact: Fact };

/** The part of an update or a notification that is needed to store its texts before it. */
export interface StagedEntry {
  /** Null for a notification that is no update. */
  readonly update: Update | null;
  readonly source: LogSource | undefined;
}

export interface NewThread {
  readonly agent_id: string;
  readonly cwd: string;
  readonly title?: string | null;
  readonly parent_thread_id?: string | null;
  readonly additional_directories?: readonly string[];
  /** Where it has a worktree of its own. */
  readonly git?: ThreadGit | undefined;
  /** Where it goes on from `parent_thread_id`. */
  readonly fork?: ThreadFork | undefined;
  /** Whether its whole agent runs inside the sandbox, where the person chose that. */
  readonly sandbox_choice?: boolean | undefined;
  /** Its agent is started with it. */
  readonly starting?: boolean;
  /** When it began, for one that is imported; without it, now. */
  readonly at?: number;
}

export interface ThreadUpdates {
  readonly title?: string | null;
  readonly archived?: boolean;
  readonly pinned?: boolean;
}

/** How many events of the log have been replayed. */
export interface RebuildProgress {
  readonly done: number;
  readonly total: number;
}

/** A piece of a blob; offsets and lengths count bytes. */
export interface BlobRange {
  readonly hash: string;
  readonly size: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** An event of the log with its payload as it was sent, for clients that get what the agent wrote. */
export interface LogEvent {
  readonly seq: number;
  readonly kind: string;
  /**
   * The payload's JSON: one text, or one for each chunk that was merged. Empty for what a terminal put out: its row has that. Null where it has to
   * be read with `readSent`.
   */
  readonly sent: readonly SentPayload[] | null;
}

export interface SentPayload {
  readonly json: string;
  /** Where its text ends in the text of an event that was merged from several; 0 where the payload is the whole event. */
  readonly end: number;
}

export type RegisterErrorCode =
  | "not_found"
  | "bad_request"
  | "conflict"
  | "disk_full"
  | "busy"
  | "read_only"
  | "io"
  | "damaged"
  | "not_a_register"
  | "newer_version"
  | "older_version"
  | "in_use"
  | "closed"
  | "internal";

/** Everything the register refuses or fails at; the code is stable, the message says what happened and what to do. */
export class RegisterError extends Error {
  override readonly name = "RegisterError";
  readonly code: RegisterErrorCode;

  constructor(code: RegisterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A register to read from; another process may be writing it. */
export interface RegisterReader {
  getThread(threadId: string): Promise<ThreadSummaryRow | null>;
  /** The newest `limit` items and the state around them; with `after_seq`, only what changed since. Everything published with a seq up to `snapshot.seq` is in it. */
  snapshot(threadId: string, options?: { after_seq?: number; limit?: number }): Promise<ThreadSnapshot>;
  /** One page of rows. Throws `not_found` when the thread that `args` name is not there. */
  readonly query: RunQuery<RegisterQueryName>;
  readBlob(hash: string, range?: { offset?: number; length?: number }): Promise<BlobRange>;
  /** How far the log of each thread goes. */
  logPositions(): Promise<readonly LogPosition[]>;
  /** The events after `seq`, for another machine: at least one where there is one, and about `max_length` characters at most. */
  readLog(
    threadId: string,
    seq: number,
    limits: { readonly max_events: number; readonly max_length: number },
  ): Promise<readonly PortableEvent[]>;
  /** Returns the items that the events after `after` and up to `up_to` changed last, as far as they are complete. */
  readCompleted(threadId: string, after: number, up_to: number): Promise<PortableItems>;
  /** Bytes that each thread holds in the file, biggest first, and the file's size. */
  sizes(): Promise<SizesRow>;
  close(): Promise<void>;
}

export interface Register extends RegisterReader {
  createThread(thread: NewThread): Promise<ThreadRow>;
  updateThread(threadId: string, updates: ThreadUpdates): Promise<ThreadRow>;
  /** Frees the thread's rows and the blobs that no other thread uses. */
  deleteThread(threadId: string): Promise<void>;

  /**
   * Adds events of another register's log under their own `seq`, with all their blobs; the first one makes the thread. For a register that only
   * copies. Throws `conflict` where an event does not follow the last one.
   */
  addCopies(threadId: string, events: readonly PortableEvent[]): Promise<void>;

  /**
   * Stores the long texts of an entry in slices, ahead of the entry, which is appended next. Without it they are stored with the entry, and
   * everything else waits meanwhile. Never rejects.
   */
  stage(threadId: string, entry: StagedEntry): Promise<void>;
  /** The same for a text of over 64 KB: gives what stands for it in the entries of the thread. Where it cannot be stored now, that is the text. */
  stageText(threadId: string, text: string): Promise<Json>;
  /** Takes one entry; never waits. A failure to store it shows in `settled` and in `onTrouble`, and it is not published. */
  append(threadId: string, entry: Entry): void;
  /**
   * Stores one fact, after everything that was appended before it. Unlike `append`, it keeps nothing for later: when this rejects, the fact is not in the
   * log and never will be.
   */
  store(threadId: string, fact: Fact): Promise<void>;
  /** Resolves when everything appended to this thread so far is stored and published; rejects if it could not be stored. */
  settled(threadId: string): Promise<void>;

  /** Called after each commit with what it changed, in order. Returns the way to stop. */
  onChanges(listener: (changes: readonly Change[]) => void): () => void;
  /** Called after each commit with the events that it added to this thread, in order. Returns the way to stop. */
  followLog(threadId: string, listener: (events: readonly LogEvent[]) => void): () => void;
  /** The next events after `afterSeq`, in order: at most `limit`, fewer where they are big. Throws `not_found` when the thread is not there. */
  readSent(threadId: string, afterSeq: number, limit: number): Promise<readonly LogEvent[]>;
  /**
   * Called when entries could not be stored (disk full, busy) and again, with null, when writing works again; also when a deletion that an
   * earlier process began could not be finished.
   */
  onTrouble(listener: (trouble: RegisterError | null) => void): () => void;

  /**
   * Makes all rows again from the log, in the background: the register can be read and written meanwhile, and a thread's rows are complete when a
   * call that names it resolves. Searches and lists over all threads are complete when this resolves.
   */
  rebuild(onProgress?: (progress: RebuildProgress) => void): Promise<void>;
  /** The same, only for rows that are missing because this version declares other tables than the one that wrote the file. */
  rebuildStale(onProgress?: (progress: RebuildProgress) => void): Promise<void>;
  /** Called with the progress of a rebuild that the opening began, and with null at its end. */
  onRebuild(listener: (progress: RebuildProgress | null) => void): () => void;
  /**
   * Replaces a thread's log by events with the same `seq`s, all their blobs and other content, and makes its rows again; all of it or nothing. The events
   * may be read from this register meanwhile. Nothing is published.
   */
  replaceLog(threadId: string, batches: AsyncIterable<readonly PortableEvent[]>): Promise<void>;
  /** Gives freed space back to the file system: what was deleted or replaced is gone from the file. */
  vacuum(): Promise<void>;
}
