// Replaces a piece of text. Line endings may differ: models write \n, and new text gets the line ending of its place in the file. Where the exact
// text is not there, the one place that differs only in blanks, quotes or indentation is taken, and the answer says so.
import { nearestText } from "./nearest-text.ts";
import { tolerantPlace } from "./tolerant-place.ts";

interface Replacement {
  /** Must be in the text exactly once, unless `all`. */
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

export type ReplacedText =
  | {
      readonly text: string;
      readonly count: number;
      /** In what the place differed from the old text; undefined where it did not. */
      readonly difference?: string;
    }
  /** For the model: why nothing was replaced, and what to do about it. */
  | { readonly problem: string };

const maxNamedLines = 10;

export function replaceText(text: string, { oldText, newText, all }: Replacement): ReplacedText {
  if (oldText === "") {
    return {
      problem: "old_string is empty. Give the text to replace; to create a file or replace all of it, write it.",
    };
  }
  if (oldText === newText) return { problem: "old_string and new_string are the same: there is nothing to change." };
  const lines = oldText.replaceAll("\r\n", "\n").split("\n");
  const pattern = new RegExp(lines.map(literally).join("\\r?\\n"), "g");
  const places = all ? [...text.matchAll(pattern)] : everyPlace(text, pattern);
  if (places.length === 0) {
    return (
      (all ? null : replaceTolerantly(text, oldText, newText)) ?? {
        problem: `old_string was not found.${nearestText(text, oldText)}`,
      }
    );
  }
  if (places.length > 1 && !all)
    return {
      problem: ambiguous(
        text,
        places.map(({ index }) => index),
      ),
    };
  const parts: string[] = [];
  let end = 0;
  for (const { 0: found, index } of places) {
    parts.push(text.slice(end, index), withEnding(newText, detectLineEnding(text, index, found)));
    end = index + found.length;
  }
  const replaced = [...parts, text.slice(end)].join("");
  if (replaced === text)
    return { problem: "old_string and new_string differ only in line endings, which stay as they are in the file." };
  return { text: replaced, count: places.length };
}

function replaceTolerantly(text: string, oldText: string, newText: string): ReplacedText | null {
  const place = tolerantPlace(text, oldText, newText);
  if (place === null) return null;
  const { start, end, difference } = place;
  const ending = detectLineEnding(text, start, text.slice(start, end));
  const replaced = text.slice(0, start) + withEnding(place.newText, ending) + text.slice(end);
  return replaced === text ? null : { text: replaced, count: 1, difference };
}

/** Also places that overlap: which of them is meant is not clear. */
function everyPlace(text: string, pattern: RegExp): RegExpExecArray[] {
  const places: RegExpExecArray[] = [];
  let end = -1;
  for (let place = pattern.exec(text); place !== null; place = pattern.exec(text)) {
    // A line ending is found a second time in its second half.
    if (pattern.lastIndex !== end) places.push(place);
    end = pattern.lastIndex;
    pattern.lastIndex = place.index + 1;
  }
  return places;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The line ending that is used where the replacement goes: inside the old text, else after it, else before it. */
function detectLineEnding(text: string, index: number, found: string): string {
  const inside = found.indexOf("\n");
  const after = text.indexOf("\n", index + found.length);
  const newline = inside !== -1 ? index + inside : after !== -1 ? after : text.lastIndexOf("\n", index);
  return newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n";
}

function withEnding(text: string, ending: string): string {
  return text.replace(/\r?\n/g, ending);
}

function ambiguous(text: string, places: readonly number[]): string {
  const named = places.slice(0, maxNamedLines).map((index) => text.slice(0, index).split("\n").length);
  const more = places.length > maxNamedLines ? ", …" : "";
  return `old_string is in ${places.length} places (lines ${named.join(", ")}${more}). Add lines around it so that it is unique, or set replace_all to change every one.`;
}

/** The text with the line endings that most lines of `before` have. */
export function adoptLineEndings(before: string, text: string): string {
  const crlf = before.split("\r\n").length - 1;
  const isCrlf = crlf > 0 && crlf * 2 >= before.split("\n").length - 1;
  return isCrlf ? withEnding(text, "\r\n") : text;
}
