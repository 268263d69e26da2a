// What was appended and is not stored yet, in order. Chunks that follow each other in one thread and differ in nothing but
// their text are one entry here already, so that a fast answer costs a string addition per chunk and nothing else.
import { type Fact, isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { isTooDeep, type StringToken } from "../json/json-scan.ts";
import type { Entry } from "../register.ts";
import { type ChunkParams, canMerge, isChunkKind, isTextChunk } from "./chunk.ts";
import { sliceParams } from "./raw-params.ts";

/** The text of one merged event stays below what would go to a blob. */
const MERGED_TEXT_LIMIT = 48 * 1024;

/** The kinds of the host's facts, and of what could not be read, begin with this. */
export const FACT_PREFIX = "signalbox/";

export interface PendingEvent {
  readonly form: "event";
  readonly threadId: string;
  readonly ts: number;
  readonly kind: string;
  /** The payload as JSON text, and parsed. */
  readonly payload: string;
  readonly value: Json;
  /** The long strings in the payload, where they are known already. */
  readonly strings?: readonly StringToken[] | undefined;
}

export interface PendingChunks {
  readonly form: "chunks";
  readonly threadId: string;
  readonly ts: number;
  readonly kind: string;
  readonly params: ChunkParams;
  readonly line: string | undefined;
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

export class Intake {
  #entries: Pending[] = [];
  readonly #last = new Map<string, Pending>();
  #size = 0;

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

  add(threadId: string, entry: Entry, ts: number): void {
    switch (entry.type) {
      case "update":
        return this.#addUpdate(threadId, entry.params, entry.line, ts);
      case "notification": {
        const value = toJson(entry.params);
        const payload = JSON.stringify(value);
        return this.#push({ form: "event", threadId, ts, kind: agentKind(entry.method), payload, value });
      }
      case "fact":
        return this.#addFact(threadId, entry.fact, ts);
    }
  }

  /** Everything that waits, in order; it waits on until `remove`. */
  all(): readonly Pending[] {
    return this.#entries;
  }

  /** Forgets the first `count` entries: they are stored. */
  remove(count: number): void {
    this.#entries = this.#entries.slice(count);
    this.#last.clear();
    this.#size = 0;
    for (const entry of this.#entries) {
      this.#size += sizeOf(entry);
      this.#last.set(entry.threadId, entry);
    }
  }

  #addUpdate(threadId: string, params: unknown, line: string | undefined, ts: number): void {
    if (!isJsonObject(params)) return this.#addMalformed(threadId, params, line, ts);
    if (isTextChunk(params)) {
      const { text } = params.update.content;
      this.#size += text.length;
      const last = this.#last.get(threadId);
      if (
        last?.form === "chunks" &&
        last.text.length + text.length <= MERGED_TEXT_LIMIT &&
        canMerge(last.params, params)
      ) {
        last.text += text;
        last.count++;
        return;
      }
      const kind = params.update.sessionUpdate;
      return this.#push({ form: "chunks", threadId, ts, kind, params, line, text, count: 1 });
    }
    const update = params["update"];
    if (!isJsonObject(update) || !isWellFormed(update)) return this.#addMalformed(threadId, params, line, ts);
    const kind = update["sessionUpdate"];
    const raw = rawParams(params, line);
    if (raw === null) return this.#addMalformed(threadId, params, line, ts);
    const { payload, strings } = raw;
    this.#push({ form: "event", threadId, ts, kind: agentKind(kind), payload, value: params, strings });
  }

  /** What came, as it came; of what is nested too deep the line as a text. */
  #addMalformed(threadId: string, params: unknown, line: string | undefined, ts: number): void {
    const raw = rawParams(params, line);
    const payload = raw === null ? JSON.stringify({ params: line ?? null }) : `{"params":${raw.payload}}`;
    this.#push({ form: "event", threadId, ts, kind: `${FACT_PREFIX}malformed`, payload, value: null });
  }

  #addFact(threadId: string, fact: Fact, ts: number): void {
    if (fact.type === "terminal_output") {
      const text = fact.text.toWellFormed();
      this.#size += text.length;
      const last = this.#last.get(threadId);
      const fits = last?.form === "output" && last.terminalId === fact.terminal_id;
      if (fits && last.text.length + text.length <= MERGED_TEXT_LIMIT) {
        last.text += text;
        last.count++;
        return;
      }
      return this.#push({ form: "output", threadId, ts, terminalId: fact.terminal_id, text, count: 1 });
    }
    const payload = JSON.stringify(fact);
    const value: Json = JSON.parse(payload);
    this.#push({ form: "event", threadId, ts, kind: `signalbox/${fact.type}`, payload, value });
  }

  #push(entry: Pending): void {
    if (entry.form === "event") this.#size += entry.payload.length;
    this.#entries.push(entry);
    this.#last.set(entry.threadId, entry);
  }
}

/** True for an update that says what it is, and has what an update of its kind must have. */
function isWellFormed(update: JsonObject): update is JsonObject & { readonly sessionUpdate: string } {
  const { sessionUpdate: kind, content, toolCallId, entries } = update;
  if (typeof kind !== "string") return false;
  if (isChunkKind(kind)) return isJsonObject(content) && typeof content["type"] === "string";
  if (kind === "tool_call" || kind === "tool_call_update") return typeof toolCallId === "string";
  return kind !== "plan" || Array.isArray(entries);
}

/** Only the host states facts: an agent that uses their names is logged under another. */
function agentKind(kind: string): string {
  return kind.startsWith(FACT_PREFIX) ? `agent/${kind}` : kind;
}

function sizeOf(entry: Pending): number {
  return entry.form === "event" ? entry.payload.length : entry.text.length;
}

/** A value that a caller handed over as `unknown`, as the JSON it would be on a wire. */
function toJson(value: unknown): Json {
  const source = stringify(value);
  const parsed: Json = source === null ? null : JSON.parse(source);
  return parsed;
}

/** The params as the agent wrote them, or as they are; null when they are nested too deep to be handled. */
function rawParams(params: unknown, line: string | undefined): Pick<PendingEvent, "payload" | "strings"> | null {
  const sliced = line === undefined ? null : sliceParams(line);
  if (sliced !== null) return sliced;
  const payload = stringify(params);
  return payload === null ? null : { payload, strings: undefined };
}

/** Null for what JSON cannot say, or what is nested too deep. */
function stringify(value: unknown): string | null {
  try {
    const source: string | undefined = JSON.stringify(value);
    return source === undefined || isTooDeep(source) ? null : source;
  } catch {
    return null;
  }
}

/** The payload of chunks as it is logged: as sent when it is one, with the texts joined and their number beside when more. */
export function chunksPayload(chunks: PendingChunks): { payload: string; value: JsonObject } {
  const { params, count, line, text } = chunks;
  if (count === 1) {
    const raw = rawParams(params, line);
    if (raw === null) throw new Error("the update is nested too deep");
    return { payload: raw.payload, value: params };
  }
  const value = { ...params, update: { ...params.update, content: { ...params.update.content, text } }, chunks: count };
  return { payload: JSON.stringify(value), value };
}
