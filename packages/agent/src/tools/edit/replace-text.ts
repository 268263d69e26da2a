// An exact replacement in a text. Only line endings are forgiving: a model writes \n, and what it writes gets the ending of its place.
import { nearestText } from "./nearest-text.ts";

export interface Replacement {
  /** Must stand in the text exactly once, unless `all`. */
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

export type ReplacedText =
  | { readonly text: string; readonly count: number }
  /** For the model: why nothing was replaced, and what to do about it. */
  | { readonly problem: string };

const mostLinesNamed = 10;

export function replaceText(text: string, { oldText, newText, all }: Replacement): ReplacedText {
  if (oldText === "") {
    return {
      problem: "old_string is empty. Say which text to replace; to create a file or replace all of it, use write.",
    };
  }
  if (oldText === newText) return { problem: "old_string and new_string are the same: there is nothing to change." };
  const lines = oldText.replaceAll("\r\n", "\n").split("\n");
  const pattern = new RegExp(lines.map(literally).join("\\r?\\n"), "g");
  const places = all ? [...text.matchAll(pattern)] : everyPlace(text, pattern);
  if (places.length === 0) return { problem: `old_string was not found.${nearestText(text, oldText)}` };
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
    parts.push(text.slice(end, index), withEnding(newText, lineEndingAt(text, index, found)));
    end = index + found.length;
  }
  parts.push(text.slice(end));
  return { text: parts.join(""), count: places.length };
}

/** Also those that overlap: which of them is meant, nobody knows. */
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
function lineEndingAt(text: string, index: number, found: string): string {
  const inside = found.indexOf("\n");
  const after = text.indexOf("\n", index + found.length);
  const newline = inside !== -1 ? index + inside : after !== -1 ? after : text.lastIndexOf("\n", index);
  return newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n";
}

function withEnding(text: string, ending: string): string {
  return text.replace(/\r?\n/g, ending);
}

function ambiguous(text: string, places: readonly number[]): string {
  const named = places.slice(0, mostLinesNamed).map((index) => text.slice(0, index).split("\n").length);
  const more = places.length > mostLinesNamed ? ", …" : "";
  return `old_string stands in ${places.length} places (lines ${named.join(", ")}${more}). Add lines around it so that it is unique, or set replace_all to change every one.`;
}
