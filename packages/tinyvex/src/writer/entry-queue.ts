// Queues entries that are appended and not stored yet. Consecutive chunks of one thread that differ only in their text are merged here, so
// that a fast answer costs one string addition per chunk.
import { type Fact, isJsonObject, isNestedTooDeep, type Json, type JsonObject } from "@signalbox/protocol";
import { createSource, type LogSource, parseSource } from "../log/long-text.ts";
import type { Entry, SentPayload } from "../register.ts";
import { type ChunkParams, canMerge, isChunkKind, isTextChunk } from "./chunk.ts";

/** The text of one merged event stays below what would go to a blob. */
const maxMergedLength = 48 * 1024;

/** While nothing can be stored, so many bytes wait of what agents send; twice as much of what the host records. */
const maxWaitingBytes = 32 * 1024 * 1024;

const freedBytes = 8 * 1024 * 1024;

/** The kinds of the host's facts, and of what could not be read, begin with this. */
export const factPrefix = "signalbox/";
export const outputKind = `${factPrefix}terminal_output`;

export interface PendingEvent {
  readonly form: "event";
  readonly threadId: string;
  readonly ts: number;
  readonly kind: string;
  readonly source: LogSource;
  /** The source parsed, a long text in place of each reference. */
  readonly value: Json;
}

interface PendingChunks {
  readonly form: "chunks";
  readonly threadId: string;
  readonly ts: number;
  readonly kind: string;
  readonly params: ChunkParams;
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

export type Pending = PendingEvent | PendingChunks | PendingOutput;

export class EntryQueue {
  #entries: Pending[] = [];
  readonly #last = new Map<string, Pending>();
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
  all(): readonly Pending[] {
    return this.#entries;
  }

  /** Removes the first `count` entries: they are stored. */
  remove(count: number): void {
    for (const entry of this.#entries.slice(0, count)) release(entry);
    this.#entries = this.#entries.slice(count);
    this.#last.clear();
    this.#size = 0;
    for (const entry of this.#entries) {
      this.#size += sizeOf(entry);
      this.#last.set(entry.threadId, entry);
    }
  }

  #addUpdate(threadId: string, { params, source }: Extract<Entry, { type: "update" }>, ts: number): void {
    if (!isJsonObject(params)) return this.#addMalformed(threadId, params, source, ts);
    if (isTextChunk(params)) {
      const { text } = params.update.content;
      this.#size += text.length;
      const last = this.#last.get(threadId);
      if (
        last?.form === "chunks" &&
        last.text.length + text.length <= maxMergedLength &&
        canMerge(last.params, params)
      ) {
        last.text += text;
        last.count++;
        last.sent?.push(sentChunk(params, source, last.text.length));
        return;
      }
      const kind = params.update.sessionUpdate;
      const sent = this.#isFollowed(threadId) ? [sentChunk(params, source, text.length)] : null;
      return this.#push({ form: "chunks", threadId, ts, kind, params, source, sent, text, count: 1 });
    }
    const update = params.update;
    if (!isJsonObject(update) || !isWellFormed(update) || isNestedTooDeep(params))
      return this.#addMalformed(threadId, params, source, ts);
    const kind = agentKind(update.sessionUpdate);
    const stored = source ?? createSource(params);
    this.#push({ form: "event", threadId, ts, kind, source: stored, value: valueOf(stored, params) });
  }

  #addNotification(threadId: string, entry: Extract<Entry, { type: "notification" }>, ts: number): void {
    const { method, params } = entry;
    const source = entry.source === undefined || isNestedTooDeep(params) ? safeSource(params) : entry.source;
    this.#push({ form: "event", threadId, ts, kind: agentKind(method), source, value: parseSource(source) });
  }

  /** Stores a malformed message as it came; one that is nested too deeply as a text. */
  #addMalformed(threadId: string, params: unknown, sent: LogSource | undefined, ts: number): void {
    const { json, refs, texts } = isNestedTooDeep(params)
      ? createSource(sent?.json ?? null)
      : (sent ?? safeSource(params));
    const inside = texts.map((text) => ({ ...text, ref: `/params${text.ref}` }));
    const source = { json: `{"params":${json}}`, refs: refs.map((ref) => `/params${ref}`), texts: inside };
    this.#push({ form: "event", threadId, ts, kind: `${factPrefix}malformed`, source, value: null });
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
    const value = { ...fact };
    const source = createSource(value);
    const kind = `${factPrefix}${fact.type}`;
    this.#push({ form: "event", threadId, ts, kind, source, value: valueOf(source, value) });
  }

  #push(entry: Pending): void {
    if (entry.form === "event") this.#size += sizeOf(entry);
    this.#entries.push(entry);
    this.#last.set(entry.threadId, entry);
  }
}

/** True for an update that says what it is, and has what an update of its kind must have. */
function isWellFormed(update: JsonObject): update is JsonObject & { readonly sessionUpdate: string } {
  const { sessionUpdate: kind, content, toolCallId, entries } = update;
  if (typeof kind !== "string") return false;
  if (isChunkKind(kind)) return isJsonObject(content) && typeof content.type === "string";
  if (kind === "tool_call" || kind === "tool_call_update") return typeof toolCallId === "string";
  return kind !== "plan" || Array.isArray(entries);
}

/** Only the host records facts: an agent that uses their names is logged under another. */
function agentKind(kind: string): string {
  return kind.startsWith(factPrefix) ? `agent/${kind}` : kind;
}

const voluminousFacts: ReadonlySet<string> = new Set(["terminal_output", "agent_request", "client_request"]);

function isVoluminous(entry: Entry): boolean {
  return entry.type !== "fact" || voluminousFacts.has(entry.fact.type);
}

function sizeOf(entry: Pending): number {
  if (entry.form !== "event") return entry.text.length;
  return entry.source.texts.reduce((size, { bytes }) => size + bytes.length, entry.source.json.length);
}

/** Frees the memory of a long line now: the garbage collector would let the next one come first. */
function release(entry: Pending): void {
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

function sentChunk(params: ChunkParams, source: LogSource | undefined, end: number): SentPayload {
  return { json: source?.json ?? JSON.stringify(params), end };
}

function valueOf(source: LogSource, params: JsonObject): Json {
  return source.refs.length === 0 ? params : parseSource(source);
}

/** Chunks as they are logged: as sent when it is one, with the texts joined and their number beside when more. */
export function chunksEvent(chunks: PendingChunks): Pick<PendingEvent, "source" | "value"> {
  const { params, count, text } = chunks;
  if (isNestedTooDeep(params)) throw new Error("the update is nested too deep");
  if (count === 1) {
    const source = chunks.source ?? createSource(params);
    return { source, value: valueOf(source, params) };
  }
  const value = { ...params, update: { ...params.update, content: { ...params.update.content, text } }, chunks: count };
  return { source: { json: JSON.stringify(value), refs: [], texts: [] }, value };
}
