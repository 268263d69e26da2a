// Projects terminals: ours, and those of agents that report them only in `_meta`. Output is stored once, in a blob: for ours the log points to
// that blob; for the others the log has what the agent sent. A change carries only new output.
import type { DatabaseSync } from "node:sqlite";
import type { Change, JsonObject, ToolCallFields } from "@signalbox/protocol";
import { isJsonObject, readText } from "@signalbox/protocol";
import { type BlobRecord, growingName } from "../blobs/blob-reader.ts";
import { type BlobStore, type BlobUser, type GrowingText, isHighSurrogate } from "../blobs/blob-store.ts";
import { tailBytes } from "../blobs/limits.ts";
import { integer, integerOrNull, type Row, text } from "../database/row.ts";
import { buildInsert, buildUpdate } from "../database/table.ts";
import { terminals } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { isLongText, type LongText, longText } from "../log/long-text.ts";
import { toTerminalRow } from "../queries/terminal-rows.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { textPieces } from "./big-values.ts";
import type { ThreadState } from "./thread-state.ts";

interface Output {
  readonly growing: GrowingText;
  /** The length of the text, in UTF-16 units. */
  readonly length: number;
  readonly isEnded: boolean;
}

/** The part of the output in a change: `added` from `offset` on, or `"tail"` for as much as a snapshot has. */
type Part = { offset: number; added: string } | "tail";

/** So much of an agent's report is copied to the terminal; everything else waits meanwhile. */
const maxReportBytes = 2 * 1024 * 1024;

const ofTerminal = "thread_id = ? AND terminal_id = ?";

export class Terminals {
  readonly #blobs: BlobStore;
  readonly #search: SearchIndex;
  readonly #statements;
  /** The terminals of each thread that changed in this commit window. */
  readonly #changed = new Map<string, Map<string, Part>>();

  /** The text that `store` stored last: it is recorded next, and need not be read. */
  #stored: { readonly at: LongText; readonly text: string } | null = null;

  constructor(database: DatabaseSync, blobs: BlobStore, search: SearchIndex) {
    this.#search = search;
    this.#blobs = blobs;
    this.#statements = {
      find: database.prepare(`SELECT * FROM terminals WHERE ${ofTerminal}`),
      open: database.prepare("SELECT terminal_id FROM terminals WHERE thread_id = ? AND ended_at IS NULL"),
      insert: buildInsert(database, terminals, "OR IGNORE"),
      grow: buildUpdate(
        database,
        terminals,
        ["output_blob", "output_owner", "output_size", "output_length", "last_seq"],
        ofTerminal,
      ),
      end: buildUpdate(
        database,
        terminals,
        ["exit_code", "signal", "truncated", "output_ref", "output_blob", "ended_at", "last_seq"],
        ofTerminal,
      ),
    };
  }

  create(event: LoggedEvent, id: string, command: string, cwd: string | null): void {
    const { threadId, seq, ts } = event;
    const isNew = this.#statements.insert({
      thread_id: threadId,
      terminal_id: id,
      seq,
      last_seq: seq,
      command,
      cwd,
      truncated: false,
      output_size: 0,
      output_length: 0,
      created_at: ts,
    });
    if (isNew !== null) this.#getChanged(threadId).set(id, { offset: 0, added: "" });
  }

  /** Stores output of a terminal of ours before it is logged: the log only points to it. Null when it has ended. */
  store(threadId: string, id: string, added: string): LongText | null {
    const output = this.#output(threadId, id, "log");
    if (output.isEnded) return null;
    // The real output replaces the agent's report of this terminal.
    const growing = output.growing.user === "log" ? output.growing : this.#blobs.grow(threadId, "log");
    const start = growing.size;
    this.#blobs.append(growing, added);
    if (growing.blobId === null) return null;
    const at = longText(growingName(growing.blobId), growing.size - start, start);
    this.#stored = { at, text: added };
    return at;
  }

  /** Records output of ours that is stored already. */
  addStored(event: LoggedEvent, id: string, stored: LongText): void {
    const blob = this.#blobs.reader.byName(stored.blob);
    if (blob === null) return;
    this.create(event, id, "", null);
    const { growing, length } = this.#output(event.threadId, id, "log");
    const isFirst = growing.user !== "log" || stored.start === 0;
    const added = this.#readText(stored, blob);
    const size = stored.start + stored.size;
    const end = { blobId: blob.id, size, length: (isFirst ? 0 : length) + added.length };
    this.#grown(event, id, "log", end, { offset: end.length - added.length, added });
  }

  #readText(stored: LongText, blob: BlobRecord): string {
    const last = this.#stored;
    this.#stored = null;
    if (last?.at.blob === stored.blob && last.at.start === stored.start) return last.text;
    return this.#blobs.reader.range(blob, stored.start, stored.start + stored.size).toString("utf8");
  }

  /** Applies the report on an agent's own terminal in `_meta` of a tool call update. */
  applyMeta(event: LoggedEvent, call: ToolCallFields, toolCallHasEnded: boolean): void {
    const { _meta: meta, rawInput, title } = call;
    if (meta === undefined) return;
    const { terminal_info: info, terminal_output: whole, terminal_output_delta: delta, terminal_exit: exit } = meta;
    const command = readText(rawInput, "command") ?? title;
    const ensure = (reported: JsonObject): string | null => {
      const { terminal_id: id, cwd } = reported;
      if (typeof id !== "string") return null;
      this.create(event, id, command ?? "", typeof cwd === "string" ? cwd : null);
      return id;
    };
    if (isJsonObject(info)) ensure(info);
    if (isJsonObject(whole) && isText(whole.data)) {
      const id = ensure(whole);
      if (id !== null) this.#replace(event, id, whole.data);
    }
    if (isJsonObject(delta) && isText(delta.data)) {
      const id = ensure(delta);
      // A loaded session repeats the output of ended calls: it is there already.
      const isKnown = id !== null && toolCallHasEnded && this.#output(event.threadId, id, "rows").growing.size > 0;
      if (id !== null && !isKnown) this.#add(event, id, this.#reported(delta.data));
    }
    if (isJsonObject(exit)) {
      const id = ensure(exit);
      const { exit_code: code, signal } = exit;
      if (id === null) return;
      const exitCode = Number.isSafeInteger(code) ? Number(code) : null;
      this.end(event, id, { exitCode, signal: typeof signal === "string" ? signal : null, truncated: false });
    }
  }

  /** `truncated`: the agent's own limit kept it from reading the beginning. */
  end(
    event: LoggedEvent,
    id: string,
    end: { exitCode: number | null; signal: string | null; truncated: boolean },
  ): void {
    const { threadId, seq, ts } = event;
    this.create(event, id, "", null);
    const { growing, isEnded } = this.#output(threadId, id, "rows");
    if (isEnded) return;
    const sealed =
      growing.blobId === null ? null : this.#blobs.seal(growing, growing.user === "log" ? "alias" : "replace");
    const { exitCode, signal, truncated } = end;
    const output = { output_ref: sealed?.hash ?? null, output_blob: sealed?.id ?? null };
    const ended = { exit_code: exitCode, signal, truncated, ...output, ended_at: ts, last_seq: seq };
    this.#statements.end(ended, threadId, id);
    this.#getChanged(threadId).set(id, "tail");
    this.#search.queue(threadId, integer(this.#statements.find.get(threadId, id) ?? {}, "seq"), "terminal", id);
  }

  endAll(event: LoggedEvent): void {
    for (const row of this.#statements.open.all(event.threadId)) {
      this.end(event, text(row, "terminal_id"), { exitCode: null, signal: null, truncated: false });
    }
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const [id, part] of this.#changed.get(threadId) ?? []) {
      const found = this.#statements.find.get(threadId, id);
      if (found === undefined) continue;
      const row = toTerminalRow(found, this.#blobs.reader, part === "tail" ? undefined : part);
      changes.push({ type: "tinyvex.update", stream: "terminals", thread_id: threadId, seq: row.last_seq, row });
    }
    this.#changed.delete(threadId);
  }

  /** Forgets the window: it was not stored. */
  reset(): void {
    this.#stored = null;
    this.#changed.clear();
  }

  #add(event: LoggedEvent, id: string, pieces: Iterable<string>): void {
    const { growing, length, isEnded } = this.#output(event.threadId, id, "rows");
    // The agent's report on a terminal of the host is not its output.
    if (isEnded || growing.user === "log") return;
    this.#append(event, id, growing, length, pieces);
  }

  /** Output that was sent whole again: only what is new is added, unless it is another text altogether. */
  #replace(event: LoggedEvent, id: string, whole: string | LongText): void {
    const { growing, length, isEnded } = this.#output(event.threadId, id, "rows");
    if (isEnded || growing.user === "log") return;
    const pieces = () => this.#reported(whole);
    const fresh = growing.size === 0 ? pieces() : this.#newPieces(growing, pieces());
    if (fresh !== null) return this.#append(event, id, growing, length, fresh);
    this.#blobs.discard(growing);
    const other = this.#blobs.grow(event.threadId, "rows");
    this.#append(event, id, other, 0, pieces());
    // A part that begins at 0 replaces what was there before it.
    this.#getChanged(event.threadId).set(id, { offset: 0, added: this.#blobs.readStart(other, tailBytes) });
  }

  /** The text of a report; of a very long one the end, and the log has the whole. */
  *#reported(report: string | LongText): Iterable<string> {
    if (typeof report === "string" || report.size <= maxReportBytes)
      return yield* textPieces(report, this.#blobs.reader);
    const left = report.size - maxReportBytes;
    yield `[The first ${left} bytes of this are in the event log only.]\n`;
    yield* textPieces(longText(report.blob, maxReportBytes, report.start + left), this.#blobs.reader);
  }

  #append(event: LoggedEvent, id: string, growing: GrowingText, length: number, pieces: Iterable<string>): void {
    let added = "";
    let end = length;
    for (const piece of pieces) {
      const wellFormed = piece.toWellFormed();
      this.#blobs.append(growing, wellFormed);
      end += wellFormed.length;
      added = lastPart(added + wellFormed);
    }
    if (growing.blobId === null) return;
    const grown = { blobId: growing.blobId, size: growing.size, length: end };
    this.#grown(event, id, "rows", grown, { offset: end - added.length, added });
  }

  /** Returns the pieces of a text after the stored part; null if the text does not begin with it. */
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
    const owner = found.output_owner === "log" || found.output_owner === "rows" ? found.output_owner : user;
    const blobId = found.output_blob === undefined ? null : integerOrNull(found, "output_blob");
    const length = typeof found.output_length === "number" ? found.output_length : 0;
    const isEnded = typeof found.ended_at === "number";
    return { growing: this.#blobs.resume(threadId, owner, blobId), length, isEnded };
  }

  #grown(
    { threadId, seq }: LoggedEvent,
    id: string,
    owner: BlobUser,
    { blobId, size, length }: { blobId: number; size: number; length: number },
    { offset, added }: { offset: number; added: string },
  ): void {
    const output = { output_blob: blobId, output_owner: owner, output_size: size, output_length: length };
    this.#statements.grow({ ...output, last_seq: seq }, threadId, id);
    const changed = this.#getChanged(threadId);
    const before = changed.get(id);
    const goesOn = typeof before === "object" && before.offset + before.added.length === offset;
    // Output before a piece that fills the row is not shown; joining the two would copy both.
    const whole = goesOn && added.length < tailBytes ? before.added + added : added;
    const part = lastPart(whole);
    changed.set(id, { offset: offset + added.length - part.length, added: part });
  }

  #getChanged(threadId: string): Map<string, Part> {
    const changed = this.#changed.get(threadId) ?? new Map<string, Part>();
    this.#changed.set(threadId, changed);
    return changed;
  }
}

/** The end of a text, at most as much as a row has; no character is split. */
function lastPart(whole: string): string {
  if (whole.length <= tailBytes) return whole;
  const start = whole.length - tailBytes;
  return whole.slice(isHighSurrogate(whole, start - 1) ? start - 1 : start);
}

function isText(value: JsonObject[string]): value is string | LongText {
  return typeof value === "string" || isLongText(value);
}
