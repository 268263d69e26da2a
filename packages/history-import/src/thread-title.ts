// Titles an imported thread after its first prompt.
import { redactText } from "@signalbox/tool-calls";

const maxLength = 80;
/** Searching a very long line for secrets would take too long. */
const maxScannedLength = 2000;

/** The first line of the prompt, without secrets, at most 80 characters long. */
export function makeThreadTitle(prompt: string): string {
  const beginning = prompt.trimStart().slice(0, maxScannedLength);
  const line = redactText(beginning.split("\n", 1)[0]?.trim() ?? "");
  return truncate(line) || "Imported session";
}

function truncate(line: string): string {
  if (line.length <= maxLength) return line;
  // Not in the middle of a surrogate pair.
  return `${line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
