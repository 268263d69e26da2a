// Converts searched terms and filters to a query of the full-text index.
import type { SearchTerm } from "@signalbox/protocol";

/** All terms, anywhere in an item, and of each filter one of the words that stand for it. */
export function matchAll(terms: readonly SearchTerm[], tags: readonly (readonly string[])[]): string {
  const words = terms.map(({ words: phrase, isPrefix }) => `"${phrase.join(" ")}"${isPrefix ? "*" : ""}`);
  const filters = tags.map((any) => ` AND {tags} : (${any.map((word) => `"${word}"`).join(" OR ")})`);
  return `{title body} : (${words.join(" AND ")})${filters.join("")}`;
}
