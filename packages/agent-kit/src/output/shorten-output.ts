// Shortens the output of a command to what a model may get of it. The end matters most, so both ends are kept, and the whole output goes to a
// file that the model can read.

/** The part of the limit that the beginning gets. */
const beginningPart = 0.4;
/** How far from the limit a line may end for the text to be split there. */
const maxLineRest = 2000;

/** Writes a text to a file and returns its path; undefined when that failed. */
export type KeepOutput = (text: string) => Promise<string | undefined>;

/** Returns at most `limit` characters of the output, and a note of up to 200 more where something is left out. */
export async function shortenOutput(output: string, limit: number, keep: KeepOutput): Promise<string> {
  if (output.length <= limit) return output;
  const path = await keep(output);
  const beginning = Math.floor(limit * beginningPart);
  const first = upToLine(output, beginning);
  const last = fromLine(output, output.length - (limit - beginning));
  const leftOut = output.slice(first.length, output.length - last.length);
  const where =
    path === undefined ? "They could not be kept." : `All of it is in ${path}: read it by lines, or search it.`;
  const note = `[${leftOut.length} characters (${leftOut.split("\n").length} lines) are left out here. ${where}]`;
  return `${first}\n${note}\n${last}`;
}

function upToLine(text: string, end: number): string {
  const lineEnd = text.lastIndexOf("\n", end - 1);
  return wellFormed(text.slice(0, lineEnd >= end - maxLineRest && lineEnd > 0 ? lineEnd : end));
}

function fromLine(text: string, start: number): string {
  const lineEnd = text.indexOf("\n", start);
  return wellFormed(text.slice(lineEnd !== -1 && lineEnd < start + maxLineRest ? lineEnd + 1 : start));
}

/** Half of a pair at the border is replaced: some providers refuse it. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
