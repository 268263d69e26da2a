// Shortens what a tool returned to what the model may get of it. The beginning is enough of a list; of a command's output both ends are kept.
import { type KeepOutput, shortenOutput } from "@signalbox/agent-kit";
import type { ModelContent, Tool } from "../tools/tool.ts";

const truncated = "\n[output truncated]";

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
  const text = await shortenOutput(whole, limit, keep);
  return [{ type: "text", text }, ...content.filter((part) => part.type !== "text")];
}
