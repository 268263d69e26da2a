// Finds the secrets of a thread in its log, also one that came in several pieces: chunks of a message or a terminal's output are looked at as
// the one text that they are. What it found can then be taken out of each event.
import { createHash } from "node:crypto";
import {
  type Json,
  type PortableBlob,
  type PortableEvent,
  readText,
  type SecretRow,
  type Update,
} from "@signalbox/protocol";
import { hideParts } from "@signalbox/tool-calls";
import { createReference } from "../log/long-text.ts";
import type { RegisterReader } from "../register.ts";
import { readLogged } from "../writer/entry-queue.ts";
import { rewriteStrings } from "./rewrite-strings.ts";
import { endsMessage, findItem, findStream, type SecretItem } from "./secret-item.ts";
import { type SecretPart, SecretParts } from "./secret-parts.ts";

/** How much of a text that goes on is looked at in one piece; a secret is shorter than `overlap`. */
const maxJoined = 1024 * 1024;
const overlap = 64 * 1024;
/** One read of the log. */
const batch = { max_events: 500, max_length: 4 * 1024 * 1024 };
const previewLength = 4;

export type LogSourceOf = Pick<RegisterReader, "readLog" | "readBlob">;

interface Piece {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
}

/** The item that an event belongs to. The message of a prompt gets its id when its turn begins. */
interface Owner extends SecretItem {
  readonly turnId?: string;
}

interface OpenStream {
  readonly item: Owner;
  pieces: Piece[];
  text: string;
}

type Part = Pick<SecretPart, "start" | "end">;

/** The events of a thread, with the bytes of their blobs. */
export async function* wholeLog(source: LogSourceOf, threadId: string): AsyncGenerator<readonly PortableEvent[]> {
  for (let seq = 0; ; ) {
    const events = await source.readLog(threadId, seq, batch);
    const last = events.at(-1);
    if (last === undefined) return;
    yield await Promise.all(events.map(async (event) => ({ ...event, blobs: await withBytes(source, event.blobs) })));
    seq = last.seq;
  }
}

async function withBytes(
  source: LogSourceOf,
  blobs: readonly PortableBlob[],
): Promise<readonly Required<PortableBlob>[]> {
  return await Promise.all(
    blobs.map(async (blob) => ({ ...blob, bytes: blob.bytes ?? (await source.readBlob(blob.hash)).bytes })),
  );
}

export class SecretScan {
  readonly #threadId: string;
  readonly #parts = new SecretParts();
  readonly #streams = new Map<string, OpenStream>();
  /** By event: what is to be taken out of its part of a stream. */
  #ofStreams = new Map<number, Part[]>();
  #rows = new Map<string, SecretRow>();
  /** Secrets found in prompts, by turn. */
  readonly #prompts = new Map<string, string[]>();
  #hasNew = false;

  private constructor(threadId: string) {
    this.#threadId = threadId;
  }

  /** Reads the whole log of the thread. */
  static async of(source: LogSourceOf, threadId: string): Promise<SecretScan> {
    const scan = new SecretScan(threadId);
    // Once more when a secret was found that may stand elsewhere too, also before.
    do {
      scan.#begin();
      for await (const events of wholeLog(source, threadId)) for (const event of events) scan.#add(event);
      for (const key of scan.#streams.keys()) scan.#close(key);
    } while (scan.#hasNew);
    return scan;
  }

  /** Where each secret is: one row for each item that has it. */
  get rows(): readonly SecretRow[] {
    return [...this.#rows.values()];
  }

  /** The event without its secrets; the same object where it has none. */
  redact(event: PortableEvent): PortableEvent {
    const value: Json = JSON.parse(event.payload);
    const stream = findStream(event.kind, value, readLogged(event.kind, value));
    const hide = (text: string, field: string | undefined, isKey: boolean, pointer: () => string) => {
      const parts =
        !isKey && stream !== null && pointer() === stream.ref
          ? (this.#ofStreams.get(event.seq) ?? [])
          : this.#parts.inString(text, field, isKey);
      return parts.length === 0 ? text : hideParts(text, parts);
    };
    const objects = new Map<string, string>();
    const blobs = event.blobs.map((blob, index) => {
      const ref = event.refs[index] ?? "";
      const text = decodeText(blob);
      const hidden = hide(text, readField(ref), false, () => ref);
      if (hidden === text) return blob;
      const bytes = Buffer.from(hidden, "utf8");
      const changed = { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, bytes };
      objects.set(ref, JSON.stringify(createReference(changed.hash, changed.size)));
      return changed;
    });
    const places = new Set(event.refs);
    const payload = rewriteStrings(
      event.payload,
      (text, { field, isKey, pointer }) =>
        isReference(places, field, pointer) ? text : hide(text, field, isKey, pointer),
      objects,
    );
    return payload === event.payload && objects.size === 0 ? event : { ...event, payload, blobs };
  }

  #begin(): void {
    this.#streams.clear();
    this.#ofStreams = new Map();
    this.#rows = new Map();
    this.#prompts.clear();
    this.#hasNew = false;
  }

  #add(event: PortableEvent): void {
    const { seq, kind, payload, refs, blobs } = event;
    const value: Json = JSON.parse(payload);
    const update = readLogged(kind, value);
    const stream = findStream(kind, value, update);
    const item = this.#findOwner(event, value, update);
    if (endsMessage(kind, update))
      for (const key of this.#streams.keys()) if (key.startsWith("message ") && key !== stream?.key) this.#close(key);
    const search = (text: string, field: string | undefined, isKey: boolean, pointer: () => string) => {
      if (!isKey && stream !== null && pointer() === stream.ref) this.#join(stream.key, item, seq, text);
      else for (const part of this.#parts.inString(text, field, isKey)) this.#found(item, seq, text, part);
    };
    const places = new Set(refs);
    rewriteStrings(payload, (text, { field, isKey, pointer }) => {
      if (!isReference(places, field, pointer)) search(text, field, isKey, pointer);
      return text;
    });
    for (const [index, blob] of blobs.entries()) {
      const ref = refs[index] ?? "";
      search(decodeText(blob), readField(ref), false, () => ref);
    }
    if (kind === "signalbox/turn_started") this.#begun(readText(value, "turn_id") ?? "", seq);
    if (kind === "signalbox/terminal_ended") this.#close(`terminal ${readText(value, "terminal_id")}`);
  }

  #findOwner({ seq, kind }: PortableEvent, value: Json, update: Update | null): Owner {
    const owner = findItem(kind, value, update);
    if (owner.item !== "message") return owner;
    const turnId = readText(value, "turn_id");
    const isQueued = turnId !== null && kind !== "signalbox/turn_steered";
    return isQueued ? { ...owner, turnId } : { ...owner, item_id: `m${seq}` };
  }

  /** The prompt of this turn is a message now. */
  #begun(turnId: string, seq: number): void {
    for (const key of this.#prompts.get(turnId) ?? []) {
      const row = this.#rows.get(key);
      if (row !== undefined) this.#rows.set(key, { ...row, item_id: `m${seq}` });
    }
  }

  #join(key: string, item: Owner, seq: number, text: string): void {
    const stream = this.#streams.get(key) ?? { item, pieces: [], text: "" };
    this.#streams.set(key, stream);
    const start = stream.text.length;
    stream.text += text;
    stream.pieces.push({ seq, start, end: stream.text.length });
    if (stream.text.length < maxJoined) return;
    const upTo = Math.max(stream.text.lastIndexOf("\n", stream.text.length - overlap), 0) || maxJoined - overlap;
    this.#searchStream(stream, upTo);
    stream.text = stream.text.slice(upTo);
    stream.pieces = stream.pieces.flatMap((piece) =>
      piece.end <= upTo ? [] : [{ seq: piece.seq, start: piece.start - upTo, end: piece.end - upTo }],
    );
  }

  #close(key: string): void {
    const stream = this.#streams.get(key);
    this.#streams.delete(key);
    if (stream !== undefined) this.#searchStream(stream, stream.text.length);
  }

  /** Notes what is to be taken out of each piece, of the secrets that begin before `upTo`. */
  #searchStream({ item, pieces, text }: OpenStream, upTo: number): void {
    for (const part of this.#parts.inText(text)) {
      if (part.start >= upTo) return;
      const touched = pieces.filter(({ start, end }) => start < part.end && part.start < end);
      for (const { seq, start, end } of touched) {
        const parts = this.#ofStreams.get(seq) ?? [];
        this.#ofStreams.set(seq, parts);
        parts.push({ start: Math.max(part.start, start) - start, end: Math.min(part.end, end) - start });
      }
      this.#found(item, touched[0]?.seq ?? 0, text, part);
    }
  }

  #found({ item, item_id, turnId }: Owner, seq: number, text: string, { kind, start, end }: SecretPart): void {
    const secret = text.slice(start, end);
    if (this.#parts.remember(secret)) this.#hasNew = true;
    const key = JSON.stringify([item, item_id, turnId, kind, secret]);
    if (this.#rows.has(key)) return;
    if (turnId !== undefined) this.#prompts.set(turnId, [...(this.#prompts.get(turnId) ?? []), key]);
    const preview = secret.slice(0, Math.min(previewLength, Math.floor(secret.length / 4)));
    this.#rows.set(key, { thread_id: this.#threadId, item, item_id, seq, kind, preview });
  }
}

/** Inside an object that stands for a long text. */
function isReference(places: ReadonlySet<string>, field: string | undefined, pointer: () => string): boolean {
  return places.size > 0 && field === "$blob" && places.has(pointer().slice(0, -"/$blob".length));
}

function decodeText({ bytes = new Uint8Array() }: PortableBlob): string {
  return Buffer.from(bytes).toString("utf8");
}

/** The name of the field at a JSON Pointer. */
function readField(ref: string): string | undefined {
  return ref
    .split("/")
    .slice(1)
    .findLast((step) => !/^\d+$/.test(step));
}
