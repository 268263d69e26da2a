// Cuts the text of `params` out of a JSON-RPC line, so that the log keeps what the agent wrote (big numbers, repeated
// keys) instead of what a parser made of it. Jumps from quote to quote; gives null where the line is not simple.

const KEY = '"params":';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Nested deeper than this, a value is not handled: walking or printing it could overflow the stack. */
const DEEPEST = 500;

/** Null also when the params are nested too deep. */
export function sliceParams(line: string): string | null {
  const key = line.indexOf(KEY);
  // A key that stands behind a nested object or inside a string is not surely the top-level one.
  if (key < 0 || line.lastIndexOf("{", key) !== line.indexOf("{")) return null;
  const start = key + KEY.length;
  if (line.charCodeAt(start) !== OPEN_OBJECT) return null;
  const end = endOfValue(line, start);
  return end < 0 ? null : line.slice(start, end);
}

export function isTooDeep(json: string): boolean {
  const first = json.charCodeAt(0);
  return (first === OPEN_OBJECT || first === OPEN_ARRAY) && endOfValue(json, 0) < 0;
}

/** The index after the bracket that closes the object or array at `start`, or -1, also when it is nested too deep. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let index = start; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(json, index);
      if (index < 0) return -1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > DEEPEST) return -1;
    } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return index + 1;
  }
  return -1;
}

/** The index of the quote that ends the string whose first quote is at `start`, or -1. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, index: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
