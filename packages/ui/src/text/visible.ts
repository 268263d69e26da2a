// Makes characters visible that change how a text looks and not what it says: directions, zero-width and control characters. A person decides by
// these texts.

const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;
/** They choose between drawings of the same sign, as in emoji. */
const harmless = /[\n\t]|\u{200d}|[\u{fe00}-\u{fe0f}]/u;

/** Tabs and line ends stay. */
export function visible(text: string): string {
  return text.replaceAll(unseen, (character) =>
    harmless.test(character)
      ? character
      : `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** The same for a piece of a line of a file. At its end a carriage return belongs to the line's end, as many files have it. */
export function visibleInLine(piece: string, isEnd: boolean): string {
  return isEnd && piece.endsWith("\r") ? `${visible(piece.slice(0, -1))}\r` : visible(piece);
}
