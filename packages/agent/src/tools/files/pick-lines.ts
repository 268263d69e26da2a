// Picks some lines out of a text that comes in pieces, in little memory however long the text and its lines are.
import type { LineRange } from "@signalbox/agent-kit";

export interface PickedLines {
  /** The lines with their endings. The end of a very long line is left out, and the line says so. */
  readonly text: string;
  /** The last line that was picked; one less than the first one asked for where there was none. */
  readonly last: number;
  /** The number of lines of the whole text; null where it was not read to its end. */
  readonly total: number | null;
  /** True where every line that was picked is there to its end. */
  readonly isWhole: boolean;
}

interface PickLimits {
  /** Characters of all lines together. */
  readonly characters: number;
  /** True where the text is read to its end, to know how many lines it has. */
  readonly countsAll: boolean;
}

/** Longer lines are those of generated and minified files. */
const maxLineCharacters = 2000;

export async function pickLines(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { line: first = 1, limit = Number.POSITIVE_INFINITY }: LineRange,
  { characters, countsAll }: PickLimits,
): Promise<PickedLines> {
  const decoder = new TextDecoder();
  const picked: string[] = [];
  let left = characters;
  let isWhole = true;
  let isFull = false;
  let line = 1;
  let beginning = "";
  let length = 0;
  /** Ends the line that was read, with its ending or at the end of the text. */
  const endLine = (ending: string): void => {
    if (line >= first && line < first + limit && !isFull) {
      const rest = length - beginning.length;
      const text = `${beginning}${rest === 0 ? "" : `… [${rest} more characters: get them with bash]`}${ending}`;
      isFull = text.length > left;
      if (!isFull) {
        picked.push(text);
        left -= text.length;
        isWhole &&= rest === 0;
      }
    }
    line++;
    beginning = "";
    length = 0;
  };
  const result = (total: number | null): PickedLines => {
    return { text: picked.join(""), last: first - 1 + picked.length, total, isWhole };
  };
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    for (let start = 0; start < text.length; ) {
      if (!countsAll && (isFull || line >= first + limit)) return result(null);
      const newline = text.indexOf("\n", start);
      const end = newline === -1 ? text.length : newline;
      beginning += text.slice(start, Math.min(end, start + maxLineCharacters - beginning.length));
      length += end - start;
      if (newline !== -1) endLine("\n");
      start = end + 1;
    }
  }
  if (length > 0) endLine("");
  return result(line - 1);
}
