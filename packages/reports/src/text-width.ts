// Measures how many columns a text takes on a terminal, and truncates it to a width.
import stringWidth from "string-width";

const plainAscii = /^[ -~]*$/;
const graphemes = new Intl.Segmenter();

export function measureWidth(text: string): number {
  return plainAscii.test(text) ? text.length : stringWidth(text);
}

/** At most `width` columns; a truncated text ends with an ellipsis. */
export function fit(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  if (width < 1) return "";
  let taken = 0;
  let end = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += measureWidth(segment);
    if (taken > width - 1) break;
    end += segment.length;
  }
  return `${text.slice(0, end)}…`;
}

export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - measureWidth(text)));
  return align === "left" ? text + space : space + text;
}
