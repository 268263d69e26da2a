// Text of agents on its way to a terminal: an agent must not be able to move the cursor, set the title, or turn letters around.
/* oxlint-disable no-control-regex -- control characters are what is taken out here */

/** CSI, OSC and the other string sequences, whole, so that none of their letters is left behind. */
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
/** Control characters but for tab and line feed, and what changes the direction of writing. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

export function cleanText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(sequences, "").replace(controls, "");
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return cleanText(text.replace(/[\r\n\t]+/g, " ")).trim();
}
