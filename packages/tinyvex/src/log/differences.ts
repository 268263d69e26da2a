// Computes the difference between a text and an earlier one. It is small if the text is the earlier one with additions, at one place or
// several: agents often send an output twice in one update.

/** In order: copy so many characters of the base (a number), insert a text (a string), insert the last such text again (-1). */
export type Difference = readonly (number | string)[];

const insertAgain = -1;

/** So many characters of the base must follow an addition, to find where the base goes on. */
const anchorLength = 24;

/** A text that does not begin with this part (a fourth) of the base does not repeat it. */
const minShared = 4;

/** Null when it would not be much smaller than the text itself. */
export function findDifference(base: string, text: string): Difference | null {
  // Most updates repeat nothing: one character tells mostly, and a look at the beginning always.
  // (Two parts are compared as a whole here and below: `startsWith` goes character by character, which is three times as slow.)
  const shared = Math.floor(base.length / minShared);
  if (text[shared - 1] !== base[shared - 1] || text.slice(0, shared) !== base.slice(0, shared)) return null;
  const difference: (number | string)[] = [];
  let inBase = 0;
  let inText = 0;
  let inserted = 0;
  let last = "";
  while (inText < text.length) {
    const same = sharedLength(base, inBase, text, inText);
    inBase += same;
    inText += same;
    const goesOn = inBase < base.length ? indexOfRest(base, inBase, text, inText) : text.length;
    const added = text.slice(inText, goesOn);
    const isAgain = added === last;
    difference.push(same, isAgain ? insertAgain : added);
    if (!isAgain) inserted += added.length;
    last = added;
    if (inserted > text.length / 2) return null;
    inText = goesOn;
  }
  return difference;
}

export function applyDifference(base: string, difference: Difference): string {
  let at = 0;
  let text = "";
  let last = "";
  for (const part of difference) {
    if (typeof part === "string") {
      text += part;
      last = part;
    } else if (part === insertAgain) text += last;
    else {
      text += base.slice(at, at + part);
      at += part;
    }
  }
  return text;
}

/** Where in the text the base goes on after `inBase`; the text's end when it does not. */
function indexOfRest(base: string, inBase: number, text: string, inText: number): number {
  const anchor = base.slice(inBase, inBase + anchorLength);
  // The last characters of the base can occur anywhere: they count only at the end of the text.
  if (anchor.length < anchorLength) {
    const end = text.length - anchor.length;
    return end > inText && text.endsWith(anchor) ? end : text.length;
  }
  const found = text.indexOf(anchor, inText);
  return found < 0 ? text.length : found;
}

/** How long two texts are the same from the given places on. */
function sharedLength(base: string, inBase: number, text: string, inText: number): number {
  let same = 0;
  let different = Math.min(base.length - inBase, text.length - inText) + 1;
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    const next = base.slice(inBase + same, inBase + middle);
    if (next === text.slice(inText + same, inText + middle)) same = middle;
    else different = middle;
  }
  return same;
}
