// Remembers on this machine how much of each thread's log has reached the shared database, in a file beside the register. Losing an entry
// costs only time: the shared database knows its own position, and a digest tells whether that is the same log.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const commandMemoryMs = 24 * 60 * 60 * 1000;

export interface Position {
  /** Counts how often the log was replaced as a whole. */
  readonly generation: number;
  readonly seq: number;
  /** The hash over the log up to `seq`. */
  readonly digest: Buffer;
  /** How it was shipped: another setting replaces the log. */
  readonly form: string;
}

/** Returns the name of the data folder that this file belongs to; null if it was never shared. */
export function readOwner(path: string): string | null {
  if (!existsSync(path)) return null;
  using database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("SELECT owner FROM data_folder").get();
  return typeof row?.owner === "string" ? row.owner : null;
}

/** The form of a log that was changed here since it was shipped. */
const outdated = "outdated";

/**
 * For a process that does not share itself: the next host that does removes the shared logs of these threads and ships them again. Returns
 * false if nothing was ever shared.
 */
export function markOutdated(path: string, threadIds: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  using database = new DatabaseSync(path);
  const mark = database.prepare("UPDATE positions SET form = ? WHERE thread_id = ?");
  return threadIds.filter((threadId) => mark.run(outdated, threadId).changes !== 0).length > 0;
}

export class Positions {
  /** Names the data folder: a machine's name belongs to one. */
  readonly owner: string;
  readonly #database: DatabaseSync;
  readonly #statements;

  /** Positions under another name of this machine are forgotten: it begins anew. */
  constructor(path: string, machine: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS data_folder(owner TEXT NOT NULL, machine TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS positions(
        thread_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, seq INTEGER NOT NULL, digest BLOB NOT NULL, form TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS removals(thread_id TEXT PRIMARY KEY) STRICT;
      CREATE TABLE IF NOT EXISTS taken_commands(id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;`);
    const known = this.#database.prepare("SELECT owner, machine FROM data_folder").get();
    this.owner = typeof known?.owner === "string" ? known.owner : randomUUID();
    if (known?.machine !== machine) {
      this.#database.exec("DELETE FROM data_folder; DELETE FROM positions; DELETE FROM removals");
      this.#database.prepare("INSERT INTO data_folder VALUES (?, ?)").run(this.owner, machine);
    }
    this.#statements = {
      all: this.#database.prepare("SELECT thread_id FROM positions"),
      find: this.#database.prepare("SELECT * FROM positions WHERE thread_id = ?"),
      save: this.#database.prepare(
        "INSERT OR REPLACE INTO positions(thread_id, generation, seq, digest, form) VALUES (?, ?, ?, ?, ?)",
      ),
      drop: this.#database.prepare("DELETE FROM positions WHERE thread_id = ?"),
      remove: this.#database.prepare("INSERT OR IGNORE INTO removals VALUES (?)"),
      removals: this.#database.prepare("SELECT thread_id FROM removals"),
      take: this.#database.prepare("INSERT OR IGNORE INTO taken_commands VALUES (?, ?)"),
      forget: this.#database.prepare("DELETE FROM taken_commands WHERE at < ?"),
      removed: this.#database.prepare("DELETE FROM removals WHERE thread_id = ?"),
    };
  }

  listThreads(): readonly string[] {
    return this.#statements.all.all().map(({ thread_id: id }) => String(id));
  }

  find(threadId: string): Position | null {
    const row = this.#statements.find.get(threadId);
    if (row === undefined) return null;
    const { generation, seq, digest, form } = row;
    if (!(digest instanceof Uint8Array)) throw new Error("a position has no digest");
    return { generation: Number(generation), seq: Number(seq), digest: Buffer.from(digest), form: String(form) };
  }

  save(threadId: string, { generation, seq, digest, form }: Position): void {
    this.#statements.save.run(threadId, generation, seq, digest, form);
  }

  markOutdated(threadIds: readonly string[]): void {
    for (const threadId of threadIds) {
      const position = this.find(threadId);
      if (position !== null) this.save(threadId, { ...position, form: outdated });
    }
  }

  isOutdated(threadId: string): boolean {
    return this.find(threadId)?.form === outdated;
  }

  /** The thread is to be removed from the shared database. */
  remove(threadId: string): void {
    this.#statements.remove.run(threadId);
    this.#statements.drop.run(threadId);
  }

  listRemovals(): readonly string[] {
    return this.#statements.removals.all().map(({ thread_id: id }) => String(id));
  }

  finishRemoval(threadId: string): void {
    this.#statements.removed.run(threadId);
  }

  /** Claims the id of a command for good. Returns false if it was claimed before. */
  takeCommand(id: string, now: number): boolean {
    // A command is refused by its age long before its id is forgotten.
    this.#statements.forget.run(now - commandMemoryMs);
    // The id is on the disk before the command runs: losing a position costs time, but forgetting a command could run it twice.
    this.#database.exec("PRAGMA synchronous = FULL");
    try {
      return this.#statements.take.run(id, now).changes !== 0;
    } finally {
      this.#database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  close(): void {
    this.#database.close();
  }
}
