// Defines the reference object that stands in JSON for a string of over 64 KB; the string is in a blob. The places of references are stored
// beside the JSON (`refs`), so an agent cannot forge one: an object of the same shape elsewhere is ordinary data.
import { createHash } from "node:crypto";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { blobThreshold } from "../blobs/limits.ts";

/** JSON text on its way into the log. */
export interface LogSource {
  readonly json: string;
  /** The places (JSON Pointers) where `json` has a reference instead of a string. */
  readonly refs: readonly string[];
  /** The texts of those places that are not stored yet. */
  readonly texts: readonly LiftedText[];
}

/** A long string that was lifted out of its JSON: its UTF-8 bytes, and their SHA-256. */
export interface LiftedText {
  readonly ref: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** In a parsed value, a string that lies in a blob: `size` bytes from `start`. */
export type LongText = {
  readonly blob: string;
  readonly start: number;
  readonly size: number;
};

/** Only `toLongText` makes long texts: what an agent's JSON parses to is never in here. */
const longTexts = new WeakSet<object>();

export function isLongText(value: Json | undefined): value is LongText {
  return typeof value === "object" && value !== null && longTexts.has(value);
}

/** A UTF-16 unit is at most three bytes: text up to this length is never long. */
const surelyShort = Math.floor(blobThreshold / 3);

/** The reference object that stands in the JSON; `blob` is a hash, or the name of a blob that still grows. */
export function createReference(blob: string, size: number, start = 0): Json {
  return start === 0 ? { $blob: blob, size } : { $blob: blob, size, start };
}

export function liftedText(ref: string, bytes: Uint8Array): LiftedText {
  return { ref, bytes, hash: createHash("sha256").update(bytes).digest("hex") };
}

/** A value as it goes into the log: its JSON, the long strings lifted out, and references in place of long texts that are stored already. */
export function createSource(value: Json): LogSource {
  const refs: string[] = [];
  const texts: LiftedText[] = [];
  const lifted = mayHaveLong(value) ? lift(value, "", refs, texts) : value;
  return { json: JSON.stringify(refs.length === 0 ? value : lifted), refs, texts };
}

/** Looked at first: to encode a long string only to see that it is long would take longer than everything else. */
function mayHaveLong(value: Json | undefined): boolean {
  if (typeof value === "string") return value.length > surelyShort;
  if (Array.isArray(value)) return value.some(mayHaveLong);
  return isJsonObject(value) && (isLongText(value) || Object.values(value).some(mayHaveLong));
}

function lift(value: Json, ref: string, refs: string[], texts: LiftedText[]): Json {
  if (typeof value === "string") {
    // Bytes cannot hold half a character.
    if (value.length <= surelyShort || !value.isWellFormed()) return value;
    const bytes = Buffer.from(value, "utf8");
    if (bytes.length <= blobThreshold) return value;
    const text = liftedText(ref, bytes);
    refs.push(ref);
    texts.push(text);
    return createReference(text.hash, bytes.length);
  }
  if (Array.isArray(value)) return value.map((item, index) => lift(item, `${ref}/${index}`, refs, texts));
  if (!isJsonObject(value)) return value;
  if (isLongText(value)) {
    refs.push(ref);
    return createReference(value.blob, value.size, value.start);
  }
  const fields = Object.entries(value).map(([key, field]) => [
    key,
    field === undefined ? field : lift(field, `${ref}/${pointerStep(key)}`, refs, texts),
  ]);
  return Object.fromEntries(fields);
}

/** The JSON parsed, a long text in place of each reference. */
export function parseSource({ json, refs }: Pick<LogSource, "json" | "refs">): Json {
  const value: Json = JSON.parse(json);
  return refs.reduce((parsed, ref) => replaceValue(parsed, ref, toLongText), value);
}

/** Resolves a reference object; any other value stays as it is (a key can occur twice, and the last one counts). */
function toLongText(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { $blob: blob, size, start = 0 } = value;
  if (typeof blob !== "string" || typeof size !== "number" || typeof start !== "number") return value;
  return longText(blob, size, start);
}

export function longText(blob: string, size: number, start: number): LongText {
  const made = { blob, size, start };
  longTexts.add(made);
  return made;
}

/** Replaces what stands at a JSON Pointer, in place, and gives the value; a place that is not there is passed over. */
export function replaceValue(value: Json, ref: string, replace: (value: Json) => Json): Json {
  const steps = ref.split("/").slice(1);
  const last = steps.pop();
  if (last === undefined) return replace(value);
  let parent: unknown = value;
  for (const step of steps) parent = readChild(parent, step);
  const child = readChild(parent, last);
  if (child !== undefined) Reflect.set(Object(parent), decodeStep(last), replace(child));
  return value;
}

function readChild(parent: unknown, step: string): Json | undefined {
  if (Array.isArray(parent)) return parent[Number(step)];
  const key = decodeStep(step);
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function decodeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function pointerStep(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
