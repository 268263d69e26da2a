// How many columns a text takes on a terminal, and cutting it to fit.

const nothing = /^[\p{M}\p{Cf}]$/u;
const twice =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += widthOfLetter(letter);
  return width;
}

/** At most `width` columns; what is cut off shows as an ellipsis. */
export function fit(text: string, width: number): string {
  // Most texts are short: a letter takes two columns at most.
  if (text.length * 2 <= width || widthOf(text) <= width) return text;
  let taken = 0;
  let end = 0;
  for (const letter of text) {
    taken += widthOfLetter(letter);
    if (taken > width - 1) break;
    end += letter.length;
  }
  return width < 1 ? "" : `${text.slice(0, end)}…`;
}

export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

function widthOfLetter(letter: string): number {
  if (letter >= " " && letter <= "~") return 1;
  if (nothing.test(letter)) return 0;
  return twice.test(letter) ? 2 : 1;
}
