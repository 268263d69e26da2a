// Moves the long strings out of a line of JSON, in one pass over its bytes and in place: a line of 50 MB is in memory once, and never as a
// string. A parser reads the rest of the line and decides whether it is JSON.
import { isUtf8 } from "node:buffer";
import { blobThreshold } from "../blobs/limits.ts";
import { createReference, type LiftedText, type LogSource, liftedText, pointerStep } from "./long-text.ts";

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const space = 0x20;
const letterU = 0x75;

/** The meaning of the letter after a backslash. */
const escapes = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)],
  ),
);

/** Where the walk is in an array (its index) or in an object (the literal of its last key). */
type Step = number | Uint8Array;

/** The line with its long strings lifted out. `line` is overwritten. Null where it is not certain to be JSON. */
export function liftLongTexts(line: Buffer): LogSource | null {
  if (!isUtf8(line)) return null;
  const texts: LiftedText[] = [];
  const steps: Step[] = [];
  let json = "";
  let copied = 0;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte === quote) {
      const end = endOfString(line, at + 1);
      if (end < 0) return null;
      if (isKey(line, end)) {
        if (steps.length > 0) steps[steps.length - 1] = line.subarray(at, end + 1);
      } else if (end - at > blobThreshold && isDecodable(line, at + 1, end)) {
        json += line.toString("utf8", copied, at);
        copied = end + 1;
        const size = decodeInPlace(line, at + 1, end);
        const text = liftedText(steps.map(toStep).join(""), line.subarray(at + 1, at + 1 + size));
        texts.push(text);
        json += JSON.stringify(createReference(text.hash, size));
      }
      at = end;
    } else if (byte === openObject) steps.push(line.subarray(0, 0));
    else if (byte === openArray) steps.push(0);
    else if (byte === closeObject || byte === closeArray) steps.pop();
    else if (byte === comma) {
      const index = steps.at(-1);
      if (typeof index === "number") steps[steps.length - 1] = index + 1;
    }
  }
  return { json: json + line.toString("utf8", copied), refs: texts.map(({ ref }) => ref), texts };
}

/** A step as part of a JSON Pointer. A key that is no JSON fails later, when the whole line is parsed. */
function toStep(step: Step): string {
  if (typeof step === "number") return `/${step}`;
  try {
    const key: unknown = JSON.parse(Buffer.from(step).toString("utf8"));
    return `/${pointerStep(String(key))}`;
  } catch {
    return "/";
  }
}

/** The index of the quote that ends the string whose inside begins at `start`, or -1. */
export function endOfString(line: Uint8Array, start: number): number {
  for (let at = start; at < line.length; at++) {
    const byte = line[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return -1;
}

export function isKey(line: Uint8Array, lastQuote: number): boolean {
  let at = lastQuote + 1;
  while ((line[at] ?? colon + 1) <= space) at++;
  return line[at] === colon;
}

/** Whether the inside of a literal is JSON, and text that bytes can hold: no half characters. */
export function isDecodable(line: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = line[at] ?? 0;
    if (byte < space) return false;
    if (byte !== backslash) continue;
    if (line[at + 1] !== letterU) {
      if (!escapes.has(line[at + 1] ?? 0)) return false;
      at += 1;
      continue;
    }
    const unit = parseHex(line, at + 2);
    if (unit < 0 || isLowSurrogate(unit)) return false;
    if (isHighSurrogate(unit)) {
      if (line[at + 6] !== backslash || line[at + 7] !== letterU || !isLowSurrogate(parseHex(line, at + 8)))
        return false;
      at += 6;
    }
    at += 5;
  }
  return true;
}

/** Decodes a literal that `isDecodable`, in place, where it is at most as long. Gives the length of the text. */
function decodeInPlace(line: Uint8Array, start: number, end: number): number {
  let to = start;
  for (let at = start; at < end; at++) {
    const byte = line[at] ?? 0;
    if (byte !== backslash) {
      line[to++] = byte;
      continue;
    }
    at++;
    if (line[at] !== letterU) {
      line[to++] = escapes.get(line[at] ?? 0) ?? 0;
      continue;
    }
    const unit = parseHex(line, at + 1);
    const isPair = isHighSurrogate(unit);
    const character = isPair ? String.fromCharCode(unit, parseHex(line, at + 7)) : String.fromCharCode(unit);
    for (const encoded of Buffer.from(character, "utf8")) line[to++] = encoded;
    at += isPair ? 10 : 4;
  }
  return to - start;
}

/** The number that four hexadecimal digits say, or -1. */
function parseHex(line: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; at < start + 4; at++) {
    const byte = line[at] ?? 0;
    const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
    if (digit < 0 || digit > 15 || (byte > 0x39 && digit < 10)) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
