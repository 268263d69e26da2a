// Shortens what a tool returned to what the model may get of it. The beginning is enough of a list; of a command's output the end matters
// most, so both ends are kept, and the whole goes to a file that the model can read.
import type { ModelContent, Tool } from "../tools/tool.ts";

const truncated = "\n[output truncated]";
/** The part of the limit that the beginning gets where both ends are kept. */
const beginningPart = 0.4;
/** How far from the limit a line may end for the text to be split there. */
const maxLineRest = 2000;

/** Writes a text to a file and returns its path; undefined when that failed. */
type KeepOutput = (text: string) => Promise<string | undefined>;

export async function shortenContent(
  content: readonly ModelContent[],
  { outputLimit, keepsBothEnds = false }: Pick<Tool, "outputLimit" | "keepsBothEnds">,
  keep: KeepOutput,
): Promise<readonly ModelContent[]> {
  if (outputLimit === undefined) return content;
  return keepsBothEnds ? await bothEnds(content, outputLimit, keep) : beginning(content, outputLimit);
}

/** Counts the text of all parts together. Images and PDFs are not counted. */
function beginning(content: readonly ModelContent[], limit: number): readonly ModelContent[] {
  let left = limit;
  return content.flatMap((part): ModelContent[] => {
    if (part.type !== "text") return [part];
    if (left < 0) return [];
    const { text } = part;
    left -= text.length;
    return left >= 0 ? [part] : [{ type: "text", text: `${text.slice(0, text.length + left)}${truncated}` }];
  });
}

async function bothEnds(
  content: readonly ModelContent[],
  limit: number,
  keep: KeepOutput,
): Promise<readonly ModelContent[]> {
  const whole = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (whole.length <= limit) return content;
  const path = await keep(whole);
  const first = upToLine(whole, Math.floor(limit * beginningPart));
  const last = fromLine(whole, whole.length - (limit - Math.floor(limit * beginningPart)));
  const leftOut = whole.slice(first.length, whole.length - last.length);
  const where =
    path === undefined ? "They could not be kept." : `All of it is in ${path}: read it by lines, or search it.`;
  const note = `[${leftOut.length} characters (${leftOut.split("\n").length} lines) are left out here. ${where}]`;
  return [{ type: "text", text: `${first}\n${note}\n${last}` }, ...content.filter((part) => part.type !== "text")];
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
