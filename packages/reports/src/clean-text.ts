// Removes control sequences from an agent's text before it reaches a terminal, so that it cannot move the cursor, set the title or reverse text.
/* oxlint-disable no-control-regex -- this file removes control characters */

/** CSI, OSC and the other string sequences, with all their letters. */
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
/** Control characters except tab and line feed, and characters that change the writing direction. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

export function cleanText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(sequences, "").replace(controls, "");
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return cleanText(text.replace(/[\r\n\t]+/g, " ")).trim();
}
