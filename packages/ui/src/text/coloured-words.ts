// One line of a change as pieces that are both: coloured as code, and marked where words changed. A changed word keeps the ink's colour, so
// that it can be read on its marker.
import type { CodeToken } from "./highlight.ts";
import type { WordPiece } from "./word-diff.ts";

export interface LinePiece {
  readonly text: string;
  readonly changed: boolean;
  readonly color?: string;
}

/** Null tokens: no colours. Tokens that do not spell the line (it was cut) are left out as well. */
export function colouredWords(
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
