// Picks some lines out of a text that comes in pieces, in little memory however long the text and its lines are.
import type { LineRange } from "@signalbox/agent-kit";

export interface PickedLines {
  /** The lines with their endings. May be longer than `enough`, by less than a piece. */
  readonly text: string;
  /** The first line that was left out, or of which a part was; null at the end of the text. */
  readonly next: number | null;
  /** Lines that were seen: all of them when `next` is null. */
  readonly lines: number;
}

/** Stops when it has `enough` characters. */
export async function pickLines(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { line: first = 1, limit = Number.POSITIVE_INFINITY }: LineRange,
  enough: number,
): Promise<PickedLines> {
  const decoder = new TextDecoder();
  const end = first + limit;
  const picked: string[] = [];
  let length = 0;
  let line = 1;
  let isNewLine = true;
  for await (const piece of pieces) {
    let text = decoder.decode(piece, { stream: true });
    while (text !== "") {
      if (line >= end) return { text: picked.join(""), next: line, lines: line };
      const newline = text.indexOf("\n");
      const part = newline === -1 ? text : text.slice(0, newline + 1);
      if (line >= first) {
        picked.push(part);
        length += part.length;
        if (length > enough) return { text: picked.join(""), next: line, lines: line };
      }
      isNewLine = newline !== -1;
      if (isNewLine) line++;
      text = text.slice(part.length);
    }
  }
  return { text: picked.join(""), next: null, lines: isNewLine ? line - 1 : line };
}
