// Reads what a person typed to search for: words that must all occur, "an exact phrase", and wor* for a beginning. Everything else counts as a
// word, so no input is a syntax error or reaches an index's own operators.

export interface SearchTerm {
  /** The words as typed, one for a plain term, several for a phrase. */
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

const wordPattern = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

export function parseTerms(text: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (const [whole, phrase] of text.matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const words = (phrase ?? whole).match(wordPattern) ?? [];
    if (words.length > 0) terms.push({ words, isPrefix: phrase === undefined && whole.endsWith("*") });
  }
  return terms;
}

/** The last word may be unfinished, as it is while somebody types. */
export function withOpenEnd(terms: readonly SearchTerm[], shortest: number): readonly SearchTerm[] | null {
  const last = terms.at(-1);
  const word = last?.words.at(-1);
  if (last === undefined || last.isPrefix || word === undefined || word.length < shortest) return null;
  return [...terms.slice(0, -1), { ...last, isPrefix: true }];
}
