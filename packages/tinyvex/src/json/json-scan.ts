// Walks over JSON text without parsing it, from quote to quote: where a value ends, how deep it is nested, and where its
// long strings are. Much faster than a parser, because what lies inside a string is skipped at once.

/** The inside of a string literal: from after its first quote to before its last. */
export interface StringToken {
  readonly start: number;
  readonly end: number;
}

/** String values at least this long are worth knowing. */
export const LONG_STRING = 1024;

/** Nested deeper than this, a value is not handled: walking or printing it could overflow the stack. */
const DEEPEST = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export interface Scan {
  /** After the bracket that closes the value. */
  readonly end: number;
  /** The long strings among its values (not keys), relative to its start. */
  readonly strings: readonly StringToken[];
}

const NO_STRINGS: readonly StringToken[] = [];

/** Walks over the object or array at `start`; null when it does not end, or is nested too deep. */
export function scanValue(json: string, start: number): Scan | null {
  let strings: StringToken[] | null = null;
  let depth = 0;
  for (let index = start; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(json, index);
      if (end < 0) return null;
      if (end - index > LONG_STRING && !isKey(json, end)) {
        strings ??= [];
        strings.push({ start: index + 1 - start, end: end - start });
      }
      index = end;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > DEEPEST) return null;
    } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) {
      return { end: index + 1, strings: strings ?? NO_STRINGS };
    }
  }
  return null;
}

/** For any JSON text: the strings of an object or array, none of anything smaller. */
export function longStrings(json: string): readonly StringToken[] {
  return scanValue(json, 0)?.strings ?? NO_STRINGS;
}

export function isTooDeep(json: string): boolean {
  const first = json.charCodeAt(0);
  return (first === OPEN_OBJECT || first === OPEN_ARRAY) && scanValue(json, 0) === null;
}

/** The index of the quote that ends the string whose first quote is at `start`, or -1. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && json.charCodeAt(end - 1) === BACKSLASH && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, index: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function isKey(json: string, lastQuote: number): boolean {
  let index = lastQuote + 1;
  while (json.charCodeAt(index) <= SPACE) index++;
  return json.charCodeAt(index) === COLON;
}
