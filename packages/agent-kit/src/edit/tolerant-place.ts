// Finds the lines that an edit means though it does not have them exactly: blanks at the ends of lines, typographic quotes, or the
// indentation of the whole block differ. Of several such places none is meant.

interface TolerantPlace {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** The new text, indented as the place is. */
  readonly newText: string;
  /** Describes the difference to the model. */
  readonly difference: string;
}

/** More lines are not looked through: the answer would take too long. */
const maxLines = 200_000;
/** Fewer letters and digits say nothing about a place. */
const minMeaning = 3;

const steps = [
  { difference: "blanks at the ends of lines", same: (line: string) => line.trimEnd() },
  { difference: "quotes, dashes or kinds of blanks", same: (line: string) => plain(line).trimEnd() },
  { difference: "indentation", same: (line: string) => plain(line).trim() },
] as const;

/** Null where no place fits, or more than one. */
export function tolerantPlace(text: string, oldText: string, newText: string): TolerantPlace | null {
  const endsWithLine = oldText.endsWith("\n");
  const wanted = oldText.replaceAll("\r\n", "\n").split("\n");
  if (endsWithLine) wanted.pop();
  const lines = text.split("\n");
  if (lines.length > maxLines || oldText.replace(/[^\p{L}\p{N}]/gu, "").length < minMeaning) return null;
  for (const { difference, same } of steps) {
    const places = findPlaces(lines.map(same), wanted.map(same));
    if (places.length > 1) return null;
    const [first] = places;
    if (first === undefined) continue;
    const found = lines.slice(first, first + wanted.length).map((line) => line.replace(/\r$/, ""));
    const indented = adoptIndent(found, wanted, newText);
    if (indented === null) return null;
    const start = countCharacters(lines.slice(0, first));
    const last = lines[first + wanted.length - 1] ?? "";
    const whole = start + countCharacters(lines.slice(first, first + wanted.length));
    // Without the last line's end, and without a \r that belongs to it.
    const end = endsWithLine ? Math.min(whole, text.length) : whole - 1 - (last.endsWith("\r") ? 1 : 0);
    return { start, end, newText: indented, difference };
  }
  return null;
}

/** Where the wanted lines stand in a row. */
function findPlaces(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const places: number[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first++) {
    if (wanted.every((line, index) => lines[first + index] === line)) places.push(first);
  }
  return places;
}

/** The new text with what the found lines have more, or less, at their beginnings than the wanted ones. Null where that is not the same for all. */
function adoptIndent(found: readonly string[], wanted: readonly string[], newText: string): string | null {
  const changes = new Set<string>();
  for (const [index, line] of found.entries()) {
    if (line.trim() === "") continue;
    const [has, given] = [readIndent(line), readIndent(wanted[index] ?? "")];
    if (has.endsWith(given)) changes.add(`+${has.slice(0, has.length - given.length)}`);
    else if (given.endsWith(has)) changes.add(`-${given.slice(0, given.length - has.length)}`);
    else return null;
  }
  const [change = "+", ...others] = changes;
  if (others.length > 0) return null;
  const blanks = change.slice(1);
  return newText
    .split("\n")
    .map((line) => {
      if (blanks === "" || line.trim() === "") return line;
      if (change.startsWith("+")) return blanks + line;
      return line.startsWith(blanks) ? line.slice(blanks.length) : line;
    })
    .join("\n");
}

function readIndent(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function countCharacters(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Quotes, dashes and blanks as a keyboard has them. */
function plain(line: string): string {
  return line
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}
