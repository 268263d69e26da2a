// Terminals, ours and those that live in the agent and only tell of themselves in `_meta`. Output lies in a blob from the
// first byte on. Of ours, the log points to that same blob; of the others, the log has what the agent said.
import type { DatabaseSync } from "node:sqlite";
import type { Change, JsonObject } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import type { BlobStore, BlobUser, GrowingText } from "../blobs/blob-store.ts";
import { TAIL_BYTES } from "../blobs/limits.ts";
import { integer, integerOrNull, type Row, text } from "../database/row.ts";
import type { Cut } from "../log/cut.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { toTerminalRow } from "../queries/terminal-rows.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { textPieces } from "./big-values.ts";
import type { ThreadState } from "./thread-state.ts";
import { Touched } from "./touched.ts";

interface Output {
  readonly growing: GrowingText;
  readonly isEnded: boolean;
}

export class Terminals {
  readonly #blobs: BlobStore;
  readonly #search: SearchIndex;
  readonly #statements;
  readonly #touched = new Touched();

  constructor(database: DatabaseSync, blobs: BlobStore, search: SearchIndex) {
    this.#search = search;
    this.#blobs = blobs;
    this.#statements = {
      find: database.prepare("SELECT * FROM terminals WHERE thread_id = ? AND terminal_id = ?"),
      open: database.prepare("SELECT terminal_id FROM terminals WHERE thread_id = ? AND ended_at IS NULL"),
      insert: database.prepare(
        `INSERT OR IGNORE INTO terminals(thread_id, terminal_id, seq, last_seq, command, cwd, truncated, output_size, created_at)
         VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?)`,
      ),
      grow: database.prepare(
        `UPDATE terminals SET output_blob = ?, output_owner = ?, output_size = ?, truncated = ?, last_seq = ?
         WHERE thread_id = ? AND terminal_id = ?`,
      ),
      end: database.prepare(
        `UPDATE terminals SET exit_code = ?, signal = ?, output_ref = ?, output_blob = ?, ended_at = ?, last_seq = ?
         WHERE thread_id = ? AND terminal_id = ?`,
      ),
    };
  }

  create(event: LoggedEvent, id: string, command: string, cwd: string | null): void {
    const { threadId, seq, ts } = event;
    const { changes } = this.#statements.insert.run(threadId, id, seq, seq, command, cwd, ts);
    if (changes !== 0) this.#touched.add(threadId, id);
  }

  /** Stores output of a terminal of ours before it is logged: the log only says where it lies. Null when it has ended. */
  store(threadId: string, id: string, added: string): Pick<Cut, "blobId" | "start" | "end"> | null {
    const output = this.#output(threadId, id, "log");
    if (output.isEnded) return null;
    // What an agent said of this terminal gives way to what really came.
    const growing = output.growing.user === "log" ? output.growing : this.#blobs.grow(threadId, "log");
    const start = growing.size;
    this.#blobs.append(growing, added);
    return growing.blobId === null ? null : { blobId: growing.blobId, start, end: growing.size };
  }

  /** Output of ours that is stored already. */
  addStored(event: LoggedEvent, id: string): void {
    const [cut] = event.cuts;
    if (cut === undefined) return;
    this.create(event, id, "", null);
    this.#grown(event, id, cut.blobId, "log", cut.end);
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
      this.create(event, id, typeof command === "string" ? command : "", typeof cwd === "string" ? cwd : null);
      return id;
    };
    if (isJsonObject(info)) ensure(info);
    if (isJsonObject(whole) && typeof whole["data"] === "string") {
      const id = ensure(whole);
      if (id !== null) this.#replace(event, id, whole["data"]);
    }
    if (isJsonObject(delta) && typeof delta["data"] === "string") {
      const id = ensure(delta);
      // A loaded session tells the output of ended calls again: it is there already.
      const isTold = id !== null && toolCallHasEnded && this.#output(event.threadId, id, "rows").growing.size > 0;
      if (id !== null && !isTold) this.#add(event, id, textPieces(event, delta["data"], this.#blobs.reader));
    }
    if (isJsonObject(exit)) {
      const id = ensure(exit);
      const { exit_code: code, signal } = exit;
      if (id === null) return;
      this.end(event, id, Number.isSafeInteger(code) ? Number(code) : null, typeof signal === "string" ? signal : null);
    }
  }

  end(event: LoggedEvent, id: string, exitCode: number | null, signal: string | null): void {
    const { threadId, seq, ts } = event;
    this.create(event, id, "", null);
    const { growing, isEnded } = this.#output(threadId, id, "rows");
    if (isEnded) return;
    const sealed =
      growing.blobId === null ? null : this.#blobs.seal(growing, growing.user === "log" ? "alias" : "replace");
    this.#statements.end.run(exitCode, signal, sealed?.hash ?? null, sealed?.id ?? null, ts, seq, threadId, id);
    this.#touched.add(threadId, id);
    this.#search.queue(threadId, integer(this.#statements.find.get(threadId, id) ?? {}, "seq"), "terminal", id);
  }

  endAll(event: LoggedEvent): void {
    for (const row of this.#statements.open.all(event.threadId)) {
      this.end(event, text(row, "terminal_id"), null, null);
    }
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const id of this.#touched.take(threadId)) {
      const found = this.#statements.find.get(threadId, id);
      if (found === undefined) continue;
      const row = toTerminalRow(found, this.#blobs.reader);
      changes.push({ type: "tinyvex.update", stream: "terminals", thread_id: threadId, seq: row.last_seq, row });
    }
  }

  reset(): void {
    this.#touched.clear();
  }

  #add(event: LoggedEvent, id: string, pieces: Iterable<string>): void {
    const { growing, isEnded } = this.#output(event.threadId, id, "rows");
    // What the agent says of a terminal of ours is not its output.
    if (isEnded || growing.user === "log") return;
    for (const piece of pieces) this.#blobs.append(growing, piece.toWellFormed());
    if (growing.blobId !== null) this.#grown(event, id, growing.blobId, "rows", growing.size);
  }

  /** Output that was told whole again: only what is new is added, unless it is another text altogether. */
  #replace(event: LoggedEvent, id: string, whole: string): void {
    const { growing, isEnded } = this.#output(event.threadId, id, "rows");
    if (isEnded || growing.user === "log") return;
    const pieces = () => textPieces(event, whole, this.#blobs.reader);
    const fresh = this.#newPieces(growing, pieces());
    if (fresh !== null) return this.#add(event, id, fresh);
    this.#blobs.discard(growing);
    const other = this.#blobs.grow(event.threadId, "rows");
    for (const piece of pieces()) this.#blobs.append(other, piece.toWellFormed());
    if (other.blobId !== null) this.#grown(event, id, other.blobId, "rows", other.size);
  }

  /** What a text has beyond what is stored, or null when it does not begin with that. */
  #newPieces(growing: GrowingText, pieces: Iterable<string>): string[] | null {
    const blob = growing.blobId === null ? null : this.#blobs.reader.byId(growing.blobId);
    const fresh: string[] = [];
    let offset = 0;
    for (const piece of pieces) {
      const bytes = Buffer.from(piece.toWellFormed(), "utf8");
      const known = Math.min(bytes.length, growing.size - offset);
      if (
        blob !== null &&
        known > 0 &&
        !this.#blobs.reader.range(blob, offset, offset + known).equals(bytes.subarray(0, known))
      ) {
        return null;
      }
      if (bytes.length > known) fresh.push(bytes.toString("utf8", Math.max(0, known)));
      offset += bytes.length;
    }
    return offset < growing.size ? null : fresh;
  }

  #output(threadId: string, id: string, user: BlobUser): Output {
    const found: Row = this.#statements.find.get(threadId, id) ?? {};
    const owner = found["output_owner"] === "log" || found["output_owner"] === "rows" ? found["output_owner"] : user;
    const blobId = found["output_blob"] === undefined ? null : integerOrNull(found, "output_blob");
    const isEnded = typeof found["ended_at"] === "number";
    return { growing: this.#blobs.resume(threadId, owner, blobId), isEnded };
  }

  #grown({ threadId, seq }: LoggedEvent, id: string, blobId: number, owner: BlobUser, size: number): void {
    this.#statements.grow.run(blobId, owner, size, size > TAIL_BYTES ? 1 : 0, seq, threadId, id);
    this.#touched.add(threadId, id);
  }
}
