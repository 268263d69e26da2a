// Makes characters visible that change how a text looks and not what it says: directions, zero-width and control characters. A person decides by
// these texts.

const unseen =
  /\u034f|\u17b4|\u17b5|[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;

/** Tabs and line ends stay. */
export function visible(text: string): string {
  return text.replaceAll(unseen, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
