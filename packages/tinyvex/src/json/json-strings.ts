// Decodes long strings in JSON text piece by piece, without a second copy of a huge one.
import { isHighSurrogate } from "../blobs/blob-store.ts";
import type { StringToken } from "./json-scan.ts";

/** Small enough to be garbage of the cheap kind. */
const PIECE = 32 * 1024;

/** Decodes the inside of a literal piece by piece; no character is cut. */
export function decodeString(json: string, { start, end }: StringToken, take: (piece: string) => void): void {
  let half = "";
  for (let from = start; from < end; ) {
    const to = Math.min(end, afterEscapes(json, from, Math.min(end, from + PIECE)));
    let piece = half + decode(json.slice(from, to));
    half = to < end && isHighSurrogate(piece, piece.length - 1) ? piece.slice(-1) : "";
    if (half !== "") piece = piece.slice(0, -1);
    take(piece);
    from = to;
  }
}

/** False when the string has half characters, which bytes cannot hold. Only escapes can bring them in. */
export function isWellFormedString(json: string, token: StringToken): boolean {
  const { start, end } = token;
  if (!hasSurrogateEscape(json, start, end)) return true;
  let isWellFormed = true;
  decodeString(json, token, (piece) => {
    isWellFormed &&= piece.isWellFormed();
  });
  return isWellFormed;
}

function hasSurrogateEscape(json: string, start: number, end: number): boolean {
  for (const escape of ["\\ud", "\\uD"]) {
    const found = json.indexOf(escape, start);
    if (found >= 0 && found < end) return true;
  }
  return false;
}

/** The first position from `limit` on that is not inside an escape sequence. */
function afterEscapes(json: string, from: number, limit: number): number {
  // Only this piece is looked at: the next escape of a huge text may be at its other end, and every piece would go there.
  const piece = json.slice(from, limit);
  let index = piece.indexOf("\\");
  while (index >= 0) {
    const after = index + (json[from + index + 1] === "u" ? 6 : 2);
    if (after >= piece.length) return from + after;
    index = piece.indexOf("\\", after);
  }
  return limit;
}

function decode(inside: string): string {
  const text: string = JSON.parse(`"${inside}"`);
  return text;
}

export function encodeInside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
