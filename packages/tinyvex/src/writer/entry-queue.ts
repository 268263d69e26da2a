// Queues entries that are appended and not stored yet. Consecutive chunks of one thread that differ only in their text are merged here, so
// that a fast answer costs one string addition per chunk.
import {
  type Fact,
  isJsonObject,
  isNestedTooDeep,
  isTextBlock,
  type Json,
  type JsonObject,
  type MessageChunk,
  readUpdate,
  replaceText,
  type TextBlock,
  type Update,
} from "@signalbox/protocol";
import { createSource, type LogSource, parseSource } from "../log/long-text.ts";
import type { Entry, SentPayload } from "../register.ts";

/** The text of one merged event stays below what would go to a blob. */
const maxMergedLength = 48 * 1024;

/** While nothing can be stored, so many bytes wait of what agents send; twice as much of what the host records. */
const maxWaitingBytes = 32 * 1024 * 1024;

const freedBytes = 8 * 1024 * 1024;

/** The kinds of the host's facts, and of what could not be read, begin with this. */
export const factPrefix = "signalbox/";
export const outputKind = `${factPrefix}terminal_output`;

/** A chunk whose content is plain text. Two that differ in nothing but this text can be merged without loss. */
interface TextChunk extends MessageChunk {
  readonly content: TextBlock;
}

export interface PendingEvent {
  readonly form: "event";
  readonly threadId: string;
  readonly ts: number;
  readonly kind: string;
  readonly source: LogSource;
  /** The source parsed, a long text in place of each reference. */
  readonly value: Json;
  /** The value as an update; null where it is none. */
  readonly update: Update | null;
}

interface PendingChunks {
  readonly form: "chunks";
  readonly threadId: string;
  readonly ts: number;
  readonly kind: string;
  /** The first of them. */
  readonly update: TextChunk;
  readonly source: LogSource | undefined;
  /** Each chunk as it was sent; null where no client follows the log. */
  readonly sent: SentPayload[] | null;
  text: string;
  count: number;
}

export interface PendingOutput {
  readonly form: "output";
  readonly threadId: string;
  readonly ts: number;
  readonly terminalId: string;
  text: string;
  count: number;
}

export type PendingEntry = PendingEvent | PendingChunks | PendingOutput;

export class EntryQueue {
  #entries: PendingEntry[] = [];
  readonly #last = new Map<string, PendingEntry>();
  readonly #refused = new Map<string, number>();
  readonly #isFollowed: (threadId: string) => boolean;
  #size = 0;

  /** Of a thread whose log is followed, each chunk is also kept as it was sent. */
  constructor(isFollowed: (threadId: string) => boolean = () => false) {
    this.#isFollowed = isFollowed;
  }

  /** Roughly the bytes that wait. */
  get size(): number {
    return this.#size;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  has(threadId: string): boolean {
    return this.#last.has(threadId);
  }

  /** False when too much waits already: the entry is counted, and refused. Agents' entries are refused before the host's facts. */
  add(threadId: string, entry: Entry, ts: number): boolean {
    if (this.#size > (isVoluminous(entry) ? maxWaitingBytes : 2 * maxWaitingBytes)) {
      this.#refused.set(threadId, (this.#refused.get(threadId) ?? 0) + 1);
      return false;
    }
    switch (entry.type) {
      case "update":
        this.#addUpdate(threadId, entry, ts);
        return true;
      case "notification":
        this.#addNotification(threadId, entry, ts);
        return true;
      case "fact":
        this.#addFact(threadId, entry.fact, ts);
        return true;
    }
  }

  /** How many entries of which threads were refused since this was last asked. */
  takeRefused(): ReadonlyMap<string, number> {
    const refused = new Map(this.#refused);
    this.#refused.clear();
    return refused;
  }

  /** Everything that waits, in order; it waits on until `remove`. */
  all(): readonly PendingEntry[] {
    return this.#entries;
  }

  /** Removes the first `count` entries: they are stored. */
  remove(count: number): void {
    for (const entry of this.#entries.slice(0, count)) release(entry);
    this.#entries = this.#entries.slice(count);
    this.#last.clear();
    this.#size = 0;
    for (const entry of this.#entries) {
      this.#size += measureEntry(entry);
      this.#last.set(entry.threadId, entry);
    }
  }

  #addUpdate(threadId: string, { update, source }: Extract<Entry, { type: "update" }>, ts: number): void {
    if (isTextChunk(update)) {
      const { text } = update.content;
      this.#size += text.length;
      const last = this.#last.get(threadId);
      if (
        last?.form === "chunks" &&
        last.text.length + text.length <= maxMergedLength &&
        canMerge(last.update, update)
      ) {
        last.text += text;
        last.count++;
        last.sent?.push(sentChunk(update, source, last.text.length));
        return;
      }
      const { kind } = update;
      const sent = this.#isFollowed(threadId) ? [sentChunk(update, source, text.length)] : null;
      return this.#push({ form: "chunks", threadId, ts, kind, update, source, sent, text, count: 1 });
    }
    if (update.type === "malformed" || isNestedTooDeep(update.raw))
      return this.#addMalformed(threadId, update.raw, source, ts);
    const stored = source ?? createSource(update.raw);
    this.#push({ form: "event", threadId, ts, kind: agentKind(update.kind), ...storedUpdate(stored, update) });
  }

  #addNotification(threadId: string, entry: Extract<Entry, { type: "notification" }>, ts: number): void {
    const { method, params } = entry;
    const source = entry.source === undefined || isNestedTooDeep(params) ? safeSource(params) : entry.source;
    const kind = agentKind(method);
    const value = parseSource(source);
    this.#push({ form: "event", threadId, ts, kind, source, value, update: readLogged(kind, value) });
  }

  /** Stores a malformed message as it came; one that is nested too deeply as a text. */
  #addMalformed(threadId: string, params: unknown, sent: LogSource | undefined, ts: number): void {
    const { json, refs, texts } = isNestedTooDeep(params)
      ? createSource(sent?.json ?? null)
      : (sent ?? safeSource(params));
    const inside = texts.map((text) => ({ ...text, ref: `/params${text.ref}` }));
    const source = { json: `{"params":${json}}`, refs: refs.map((ref) => `/params${ref}`), texts: inside };
    this.#push({ form: "event", threadId, ts, kind: `${factPrefix}malformed`, source, value: null, update: null });
  }

  #addFact(threadId: string, fact: Fact, ts: number): void {
    if (fact.type === "terminal_output") {
      const text = fact.text.toWellFormed();
      this.#size += text.length;
      const last = this.#last.get(threadId);
      const fits = last?.form === "output" && last.terminalId === fact.terminal_id;
      if (fits && last.text.length + text.length <= maxMergedLength) {
        last.text += text;
        last.count++;
        return;
      }
      return this.#push({ form: "output", threadId, ts, terminalId: fact.terminal_id, text, count: 1 });
    }
    const whole = { ...fact };
    const source = createSource(whole);
    const kind = `${factPrefix}${fact.type}`;
    const value = source.refs.length === 0 ? whole : parseSource(source);
    this.#push({ form: "event", threadId, ts, kind, source, value, update: null });
  }

  #push(entry: PendingEntry): void {
    if (entry.form === "event") this.#size += measureEntry(entry);
    this.#entries.push(entry);
    this.#last.set(entry.threadId, entry);
  }
}

/** Only the host records facts: an agent that uses their names is logged under another. */
function agentKind(kind: string): string {
  return kind.startsWith(factPrefix) ? `agent/${kind}` : kind;
}

const voluminousFacts: ReadonlySet<string> = new Set(["terminal_output", "agent_request", "client_request"]);

function isVoluminous(entry: Entry): boolean {
  return entry.type !== "fact" || voluminousFacts.has(entry.fact.type);
}

function measureEntry(entry: PendingEntry): number {
  if (entry.form !== "event") return entry.text.length;
  return entry.source.texts.reduce((size, { bytes }) => size + bytes.length, entry.source.json.length);
}

/** Frees the memory of a long line now: the garbage collector would let the next one come first. */
function release(entry: PendingEntry): void {
  if (entry.form !== "event") return;
  const buffers = new Set(entry.source.texts.map(({ bytes }) => bytes.buffer));
  for (const buffer of buffers) if (buffer instanceof ArrayBuffer && buffer.resizable) shrink(buffer);
}

/** In steps: to give 50 MB back to the system takes long enough to be noticed. */
function shrink(buffer: ArrayBuffer): void {
  buffer.resize(Math.max(0, buffer.byteLength - freedBytes));
  if (buffer.byteLength > 0) setImmediate(() => shrink(buffer));
}

/** A value that a caller handed over as `unknown`, as JSON; null for what JSON cannot say, and what is nested too deep. */
function safeSource(value: unknown): LogSource {
  const json: string | undefined = isNestedTooDeep(value) ? undefined : JSON.stringify(value);
  return createSource(json === undefined ? null : JSON.parse(json));
}

function sentChunk({ raw }: TextChunk, source: LogSource | undefined, end: number): SentPayload {
  return { json: source?.json ?? JSON.stringify(raw), end };
}

type StoredEvent = Pick<PendingEvent, "source" | "value" | "update">;

/** An update with long texts is read again from what the log stores of it: there they are marked as such. */
function storedUpdate(source: LogSource, update: Exclude<Update, { type: "malformed" }>): StoredEvent {
  if (source.refs.length === 0) return { source, value: update.raw, update };
  const value = parseSource(source);
  return { source, value, update: readLogged(update.kind, value) };
}

/** The update that an event of the log is; null for a fact, and for a notification that is no update. */
export function readLogged(kind: string, value: Json): Update | null {
  if (kind.startsWith(factPrefix)) return null;
  const update = readUpdate(value);
  return update.kind === kind ? update : null;
}

/** Chunks as they are logged: as sent when it is one, with the texts joined and their number beside when more. */
export function chunksEvent(chunks: PendingChunks): StoredEvent {
  const { update, count, text } = chunks;
  if (isNestedTooDeep(update.raw)) throw new Error("the update is nested too deep");
  if (count === 1) return storedUpdate(chunks.source ?? createSource(update.raw), update);
  const joined = replaceText(update, text);
  const value = { ...joined.raw, chunks: count };
  return { source: { json: JSON.stringify(value), refs: [], texts: [] }, value, update: joined };
}

function isTextChunk(update: Update): update is TextChunk {
  return update.type === "message_chunk" && isTextBlock(update.content);
}

/** True when the two differ in nothing but their text, and neither has a number that parsing could have changed. */
function canMerge(first: TextChunk, next: TextChunk): boolean {
  return (
    // A merged event says so in `chunks`: an agent's own field of that name must not be overwritten.
    first.raw.chunks === undefined &&
    isEqualIgnoring(first.raw, next.raw, "update") &&
    isEqualIgnoring(first.fields, next.fields, "content") &&
    isEqualIgnoring(first.content, next.content, "text")
  );
}

function isEqualIgnoring(first: JsonObject, next: JsonObject, beside: string): boolean {
  let fields = 0;
  for (const key in first) {
    if (key !== beside && !equal(first[key], next[key])) return false;
    fields++;
  }
  for (const _ in next) fields--;
  return fields === 0;
}

/** Deeper than this, two values are not compared: chunks are shallow, and an agent must not overflow our stack. */
const maxDepth = 16;

function equal(first: unknown, next: unknown, depth = 0): boolean {
  if (typeof first === "number") return first === next && Number.isSafeInteger(first);
  if (first === next) return true;
  if (depth > maxDepth) return false;
  if (Array.isArray(first)) {
    if (!Array.isArray(next) || first.length !== next.length) return false;
    return first.every((item, index) => equal(item, next[index], depth + 1));
  }
  return isJsonObject(first) && isJsonObject(next) && equalFields(first, next, depth + 1);
}

function equalFields(first: JsonObject, next: JsonObject, depth: number): boolean {
  const keys = Object.keys(first);
  if (keys.length !== Object.keys(next).length) return false;
  return keys.every((key) => Object.hasOwn(next, key) && equal(first[key], next[key], depth));
}
