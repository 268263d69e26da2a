// Combines the code colours of a changed line with the marks of its changed words. A changed word has the normal text colour, to be readable.
import type { CodeToken } from "./highlight.ts";
import type { WordPiece } from "./word-diff.ts";

export interface LinePiece {
  readonly text: string;
  readonly changed: boolean;
  readonly color?: string;
}

/** Without tokens, or with tokens that do not match a truncated line, there are no colours. */
export function colouredPieces(
  text: string,
  words: readonly WordPiece[] | undefined,
  tokens: readonly CodeToken[] | undefined,
): readonly LinePiece[] {
  const marked = words ?? [{ text, changed: false }];
  if (tokens === undefined || tokens.map((token) => token.content).join("") !== text) return marked;
  const pieces: LinePiece[] = [];
  let next = 0;
  let within = 0;
  for (const { text: word, changed } of marked) {
    if (changed) pieces.push({ text: word, changed });
    for (let left = word.length; left > 0; ) {
      const token = tokens[next];
      if (token === undefined) break;
      const taken = token.content.slice(within, within + left);
      if (!changed) {
        pieces.push({ text: taken, changed, ...(token.color === undefined ? {} : { color: token.color }) });
      }
      left -= taken.length;
      within += taken.length;
      if (within < token.content.length) continue;
      next++;
      within = 0;
    }
  }
  return pieces;
}
