// Terminals, ours and those that live in the agent and only tell of themselves in `_meta`. Output grows in pieces; the row
// gets its end at the end.
import type { DatabaseSync } from "node:sqlite";
import type { Change, JsonObject, TerminalRow } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import type { BlobStore, GrowingText } from "../blobs/blob-store.ts";
import { BLOB_THRESHOLD, TAIL_BYTES } from "../blobs/limits.ts";
import { integerOrNull, type Row, text } from "../database/row.ts";
import { toTerminalRow } from "../queries/terminal-rows.ts";
import type { LoggedEvent } from "./event.ts";
import type { ThreadState } from "./thread-state.ts";
import { Touched } from "./touched.ts";

interface Output {
  readonly growing: GrowingText;
  readonly isEnded: boolean;
}

export class Terminals {
  readonly #blobs: BlobStore;
  readonly #statements;
  readonly #touched = new Touched();

  constructor(database: DatabaseSync, blobs: BlobStore) {
    this.#blobs = blobs;
    this.#statements = {
      find: database.prepare("SELECT * FROM terminals WHERE thread_id = ? AND terminal_id = ?"),
      open: database.prepare("SELECT terminal_id FROM terminals WHERE thread_id = ? AND ended_at IS NULL"),
      insert: database.prepare(
        `INSERT OR IGNORE INTO terminals(thread_id, terminal_id, seq, last_seq, command, cwd, truncated, output, output_size, created_at)
         VALUES (?, ?, ?, ?, ?, ?, 0, '', 0, ?)`,
      ),
      grow: database.prepare(
        "UPDATE terminals SET output_blob = ?, output_size = ?, truncated = ?, last_seq = ? WHERE thread_id = ? AND terminal_id = ?",
      ),
      end: database.prepare(
        `UPDATE terminals SET exit_code = ?, signal = ?, output = ?, output_hash = ?, output_size = ?, output_blob = NULL, ended_at = ?, last_seq = ?
         WHERE thread_id = ? AND terminal_id = ?`,
      ),
    };
  }

  create(event: LoggedEvent, id: string, command: string, cwd: string | null): void {
    const { threadId, seq, ts } = event;
    this.#statements.insert.run(threadId, id, seq, seq, command, cwd, ts);
    this.#touched.add(threadId, id);
  }

  addOutput(event: LoggedEvent, id: string, added: string): void {
    const output = this.#output(event, id);
    if (output.isEnded || added === "") return;
    this.#blobs.append(output.growing, added.toWellFormed());
    this.#grown(event, id, output.growing);
  }

  /** Output that was told whole again: only what is new is added, unless it is another text altogether. */
  replaceOutput(event: LoggedEvent, id: string, whole: string): void {
    const output = this.#output(event, id);
    if (output.isEnded) return;
    const known = this.#blobs.readAll(output.growing);
    const wellFormed = whole.toWellFormed();
    if (wellFormed.startsWith(known)) return this.addOutput(event, id, wellFormed.slice(known.length));
    this.#blobs.discard(output.growing);
    const fresh = this.#blobs.resume(event.threadId, "rows", null);
    this.#blobs.append(fresh, wellFormed);
    this.#grown(event, id, fresh);
  }

  end(event: LoggedEvent, id: string, exitCode: number | null, signal: string | null): void {
    const { threadId, seq, ts } = event;
    const { growing, isEnded } = this.#output(event, id);
    if (isEnded) return;
    const { size } = growing;
    const isBig = size > BLOB_THRESHOLD;
    const tail = isBig ? this.#tail(growing) : this.#blobs.readAll(growing);
    const hash = isBig ? this.#blobs.seal(growing).hash : null;
    if (!isBig) this.#blobs.discard(growing);
    this.#statements.end.run(exitCode, signal, tail, hash, size, ts, seq, threadId, id);
    this.#touched.add(threadId, id);
  }

  /** What an update of a tool call tells in `_meta` of a terminal on the agent's side. */
  takeMeta(event: LoggedEvent, fields: JsonObject, toolCallHasEnded: boolean): void {
    const { _meta: meta, rawInput, title } = fields;
    if (!isJsonObject(meta)) return;
    const { terminal_info: info, terminal_output: whole, terminal_output_delta: delta, terminal_exit: exit } = meta;
    const command = isJsonObject(rawInput) && typeof rawInput["command"] === "string" ? rawInput["command"] : title;
    const ensure = (told: JsonObject): string | null => {
      const { terminal_id: id, cwd } = told;
      if (typeof id !== "string") return null;
      const isNew = this.#statements.find.get(event.threadId, id) === undefined;
      if (isNew)
        this.create(event, id, typeof command === "string" ? command : "", typeof cwd === "string" ? cwd : null);
      return id;
    };
    if (isJsonObject(info)) ensure(info);
    if (isJsonObject(whole) && typeof whole["data"] === "string") {
      const id = ensure(whole);
      if (id !== null) this.replaceOutput(event, id, whole["data"]);
    }
    if (isJsonObject(delta) && typeof delta["data"] === "string") {
      const id = ensure(delta);
      // A loaded session tells the output of ended calls again: it is there already.
      const isTold = id !== null && toolCallHasEnded && this.#output(event, id).growing.size > 0;
      if (id !== null && !isTold) this.addOutput(event, id, delta["data"]);
    }
    if (isJsonObject(exit)) {
      const id = ensure(exit);
      const { exit_code: code, signal } = exit;
      if (id === null) return;
      this.end(event, id, Number.isSafeInteger(code) ? Number(code) : null, typeof signal === "string" ? signal : null);
    }
  }

  endAll(event: LoggedEvent): void {
    for (const row of this.#statements.open.all(event.threadId)) this.end(event, text(row, "terminal_id"), null, null);
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const id of this.#touched.take(threadId)) {
      const row = this.#row(threadId, id);
      if (row === null) continue;
      changes.push({ type: "tinyvex.update", stream: "terminals", thread_id: threadId, seq: row.last_seq, row });
    }
  }

  reset(): void {
    this.#touched.clear();
  }

  #output(event: LoggedEvent, id: string): Output {
    let row = this.#statements.find.get(event.threadId, id);
    if (row === undefined) {
      this.create(event, id, "", null);
      row = this.#statements.find.get(event.threadId, id);
    }
    const found: Row = row ?? {};
    const growing = this.#blobs.resume(event.threadId, "rows", integerOrNull(found, "output_blob"));
    return { growing, isEnded: found["ended_at"] !== null };
  }

  #grown({ threadId, seq }: LoggedEvent, id: string, growing: GrowingText): void {
    const truncated = growing.size > TAIL_BYTES ? 1 : 0;
    this.#statements.grow.run(growing.blobId, growing.size, truncated, seq, threadId, id);
    this.#touched.add(threadId, id);
  }

  #tail({ blobId, size }: GrowingText): string {
    const blob = blobId === null ? null : this.#blobs.reader.byId(blobId);
    return blob === null ? "" : this.#blobs.reader.text(blob, size - TAIL_BYTES, size);
  }

  #row(threadId: string, id: string): TerminalRow | null {
    const row = this.#statements.find.get(threadId, id);
    return row === undefined ? null : toTerminalRow(row, this.#blobs.reader);
  }
}
