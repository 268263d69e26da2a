// Remembers on this machine how far each thread's log has reached the shared database, in a file of its own beside the register. To lose an
// entry costs time and nothing else: the shared database says how far it is, and a digest whether that is the same log.
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

export interface Position {
  /** Counts how often the log was replaced as a whole. */
  readonly generation: number;
  readonly seq: number;
  /** The hash over the log up to `seq`. */
  readonly digest: Buffer;
  /** How it was shipped: another setting replaces the log. */
  readonly form: string;
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
      CREATE TABLE IF NOT EXISTS removals(thread_id TEXT PRIMARY KEY) STRICT;`);
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
      removed: this.#database.prepare("DELETE FROM removals WHERE thread_id = ?"),
    };
  }

  threads(): readonly string[] {
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

  /** The thread is to be removed from the shared database. */
  remove(threadId: string): void {
    this.#statements.remove.run(threadId);
    this.#statements.drop.run(threadId);
  }

  removals(): readonly string[] {
    return this.#statements.removals.all().map(({ thread_id: id }) => String(id));
  }

  removed(threadId: string): void {
    this.#statements.removed.run(threadId);
  }

  close(): void {
    this.#database.close();
  }
}
