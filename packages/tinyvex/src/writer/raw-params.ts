// Cuts the text of `params` out of a JSON-RPC line, so that the log keeps what the agent wrote (big numbers, repeated
// keys) instead of what a parser made of it. Gives null where the line is not simple, or nested too deep.
import { type StringToken, scanValue } from "../json/json-scan.ts";

const KEY = '"params":';
const OPEN_OBJECT = 0x7b;
const SPACE = 0x20;

export interface RawParams {
  readonly payload: string;
  /** Where it begins in the line. */
  readonly start: number;
  /** The long strings in it. */
  readonly strings: readonly StringToken[];
}

export function sliceParams(line: string): RawParams | null {
  const key = line.indexOf(KEY);
  // A key that stands behind a nested object or inside a string is not surely the top-level one.
  if (key < 0 || line.lastIndexOf("{", key) !== line.indexOf("{")) return null;
  let start = key + KEY.length;
  while (line.charCodeAt(start) === SPACE) start++;
  if (line.charCodeAt(start) !== OPEN_OBJECT) return null;
  const scan = scanValue(line, start);
  return scan === null ? null : { payload: line.slice(start, scan.end), start, strings: scan.strings };
}
