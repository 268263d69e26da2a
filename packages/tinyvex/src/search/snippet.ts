// The place of a text that a search found: some words around the first hits, the hits between U+E000 and U+E001.
import type { SearchTerm } from "./search-terms.ts";

export const HIT_START = "\ue000";
export const HIT_END = "\ue001";

const BEFORE = 60;
const LENGTH = 220;
const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
/** So far into a text a hit is looked for word by word, when it is not spelled as it was typed. */
const LONGEST_SCAN = 64 * 1024;

interface Wanted {
  readonly word: string;
  readonly isPrefix: boolean;
}

export function makeSnippet(text: string, terms: readonly SearchTerm[]): string {
  const wanted = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index) => ({ word: fold(word), isPrefix: isPrefix && index === words.length - 1 })),
  );
  const first = firstHit(text, wanted);
  const start = startOfWord(text, Math.max(0, first - BEFORE));
  const end = Math.min(text.length, start + LENGTH);
  const cut = text.slice(start, end);
  const isWhole = end === text.length;
  const marked = cut.replace(WORD, (word) =>
    isHit(word, wanted) ? `${HIT_START}${strip(word)}${HIT_END}` : strip(word),
  );
  const clean = marked.replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${clean}${isWhole ? "" : "…"}`;
}

function isHit(word: string, wanted: readonly Wanted[]): boolean {
  const folded = fold(word);
  return wanted.some((one) => (one.isPrefix ? folded.startsWith(one.word) : folded === one.word));
}

/** Where the first hit begins; 0 when none is found. */
function firstHit(text: string, wanted: readonly Wanted[]): number {
  const lower = text.toLowerCase();
  if (lower.length === text.length) {
    const places = wanted.map(({ word }) => lower.indexOf(word)).filter((place) => place >= 0);
    const place = Math.min(...places);
    if (places.length > 0 && isHit(wordAt(text, place), wanted)) return place;
  }
  for (const match of text.slice(0, LONGEST_SCAN).matchAll(WORD)) if (isHit(match[0], wanted)) return match.index;
  return 0;
}

function wordAt(text: string, place: number): string {
  WORD.lastIndex = 0;
  return text.slice(place, place + 200).match(WORD)?.[0] ?? "";
}

function startOfWord(text: string, place: number): number {
  if (place === 0) return 0;
  const space = text.slice(place, place + BEFORE).search(/\s/);
  return space < 0 ? place : place + space + 1;
}

/** As the index compares words: without case and accents. */
function fold(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** No text can forge a mark. */
function strip(word: string): string {
  return word.replaceAll(HIT_START, "").replaceAll(HIT_END, "");
}
