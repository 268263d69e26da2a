// Picks the part of a text that a search found: where most of the searched words are close together. Each hit is between U+E000 and U+E001.
import type { SearchTerm } from "./search-terms.ts";

const hitStart = "\ue000";
const hitEnd = "\ue001";

const before = 60;
const snippetLength = 220;
const wordPattern = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
/** So many places of each word are looked at. */
const maxPlaces = 50;
/** So often a word is looked for: most places can be inside of longer words. */
const maxLooks = 2000;
/** So far into a text it is read word by word, when a word is not spelled as it was typed. */
const maxScan = 64 * 1024;

interface SnippetQuery {
  readonly word: string;
  readonly isPrefix: boolean;
}

export function makeSnippet(text: string, terms: readonly SearchTerm[]): string {
  const wanted = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index) => ({ word: foldWord(word), isPrefix: isPrefix && index === words.length - 1 })),
  );
  const start = startOfWord(text, Math.max(0, bestPlace(text, wanted) - before));
  const end = Math.min(text.length, start + snippetLength);
  const marked = text
    .slice(start, end)
    .replace(wordPattern, (word) => (isHit(word, wanted) ? `${hitStart}${strip(word)}${hitEnd}` : strip(word)));
  return `${start > 0 ? "…" : ""}${marked.replace(/\s+/g, " ").trim()}${end < text.length ? "…" : ""}`;
}

function isHit(word: string, wanted: readonly SnippetQuery[]): boolean {
  const folded = foldWord(word);
  return wanted.some((one) => matches(folded, one));
}

function matches(folded: string, { word, isPrefix }: SnippetQuery): boolean {
  return isPrefix ? folded.startsWith(word) : folded === word;
}

/** The place of the rarest word around which the most different words stand; 0 when none is found. */
function bestPlace(text: string, wanted: readonly SnippetQuery[]): number {
  const found = wanted.map((one) => findPlaces(text, one)).filter((places) => places.length > 0);
  const [rarest] = found.toSorted((a, b) => a.length - b.length);
  if (rarest === undefined) return firstHit(text, wanted);
  let best = rarest[0] ?? 0;
  let most = 0;
  for (const place of wanted.length === 1 ? [] : rarest) {
    const around = text.slice(Math.max(0, place - before), place + snippetLength - before).match(wordPattern) ?? [];
    const words = around.map(foldWord);
    const count = wanted.filter((one) => words.some((word) => matches(word, one))).length;
    if (count <= most) continue;
    best = place;
    most = count;
  }
  return best;
}

/** The first places where a word stands as it was typed, whatever its case. */
function findPlaces(text: string, wanted: SnippetQuery): number[] {
  const lower = text.toLowerCase();
  // Where lower case is longer than upper case, places do not compare.
  if (lower.length !== text.length) return [];
  const places: number[] = [];
  let looks = 0;
  for (let place = lower.indexOf(wanted.word); place >= 0; place = lower.indexOf(wanted.word, place + 1)) {
    if (++looks > maxLooks) break;
    const isStart = place === 0 || !isWordCharacter(lower, place - 1);
    if (isStart && matches(foldWord(readWord(text, place)), wanted) && places.push(place) >= maxPlaces) break;
  }
  return places;
}

function firstHit(text: string, wanted: readonly SnippetQuery[]): number {
  for (const match of text.slice(0, maxScan).matchAll(wordPattern)) if (isHit(match[0], wanted)) return match.index;
  return 0;
}

function isWordCharacter(text: string, index: number): boolean {
  return text.charAt(index).search(wordPattern) === 0;
}

function readWord(text: string, place: number): string {
  return text.slice(place, place + 200).match(wordPattern)?.[0] ?? "";
}

function startOfWord(text: string, place: number): number {
  if (place === 0) return 0;
  const space = text.slice(place, place + before).search(/\s/);
  return space < 0 ? place : place + space + 1;
}

/** As the indexes compare words: without case and accents. */
export function foldWord(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** No text can forge a mark. */
function strip(word: string): string {
  return word.replaceAll(hitStart, "").replaceAll(hitEnd, "");
}
