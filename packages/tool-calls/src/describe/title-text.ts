// Writes a part of an argument into a title: on one line, truncated, without secrets and characters that could fake another title.
import { hidden, redactText } from "./redact.ts";

/** Only this much of a text is looked at; what a title shows is far shorter. */
const maxScannedLength = 2000;

// Control characters (ANSI escapes among them), zero-width characters and bidirectional overrides.
const unseen = /[\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]+/gu;

/** The text on one line without secrets, at most `maxLength` characters; what is truncated ends with an ellipsis. */
export function titleText(text: string, maxLength: number, secrets: readonly string[] = []): string {
  let known = text;
  // In the whole text: a long secret must be found before the text is truncated.
  for (const secret of secrets) known = known.replaceAll(secret, hidden);
  const line = redactText(known.slice(0, maxScannedLength)).replace(unseen, " ").replace(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  // Not in the middle of a surrogate pair.
  return `${line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** In backticks, for what a person may copy: paths, commands, patterns. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "\\`")}\``;
}

/** In double quotes, for what is searched. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}
