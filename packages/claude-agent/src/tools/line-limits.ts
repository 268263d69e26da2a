// As much of a text as a model should get at once: whole lines, up to a number of lines and of characters, and what was left out.

export const mostLines = 2000;
export const mostCharacters = 50_000;

export interface ShownLines {
  /** The lines as they are, with their ends. */
  readonly text: string;
  readonly count: number;
  /** Whether something follows that is not shown. */
  readonly isCut: boolean;
  /** The length of the first line, where it alone is too long and only its beginning is shown. */
  readonly longLine: number | null;
}

export function limitLines(text: string, lineLimit: number = mostLines): ShownLines {
  const lines = linesOf(text);
  let length = 0;
  let count = 0;
  for (const line of lines) {
    if (count === Math.min(lineLimit, mostLines) || length + line.length > mostCharacters) break;
    length += line.length;
    count++;
  }
  const [first = ""] = lines;
  if (count === 0 && first !== "") {
    const shown = first.slice(0, mostCharacters).replace(/[\uD800-\uDBFF]$/, "");
    return { text: shown, count: 1, isCut: true, longLine: first.length };
  }
  return { text: lines.slice(0, count).join(""), count, isCut: count < lines.length, longLine: null };
}

/** Lines with their ends; the text is what they are joined. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}
