// Cuts the text of `params` out of a JSON-RPC line, so that the log keeps what the agent wrote (big numbers, repeated
// keys) instead of what a parser made of it. Jumps from quote to quote; gives null where the line is not simple.

const KEY = '"params":';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

export function sliceParams(line: string): string | null {
  const key = line.indexOf(KEY);
  // A key that stands behind a nested object or inside a string is not surely the top-level one.
  if (key < 0 || line.lastIndexOf("{", key) !== line.indexOf("{")) return null;
  const start = key + KEY.length;
  if (line.charCodeAt(start) !== OPEN) return null;
  const end = endOfObject(line, start);
  return end < 0 ? null : line.slice(start, end);
}

/** The index after the brace that closes the object at `start`, or -1. */
function endOfObject(line: string, start: number): number {
  let depth = 0;
  for (let index = start; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(line, index);
      if (index < 0) return -1;
    } else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return index + 1;
  }
  return -1;
}

/** The index of the quote that ends the string whose first quote is at `start`, or -1. */
export function endOfString(line: string, start: number): number {
  let end = line.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(line, end)) end = line.indexOf('"', end + 1);
  return end;
}

function isEscaped(line: string, index: number): boolean {
  let backslashes = 0;
  while (line.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
