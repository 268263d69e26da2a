// What a tool returned, as the client shows it: what Claude Code tells the model, and for edits of its own the lines that changed.
import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import { diffOf, imageContent, reportOf, textContent } from "@signalbox/tool-calls";
import { countIn, fieldsOf, listOf, textIn } from "../sdk/json.ts";

/** Content of a tool result as the Messages API has it: a text, or blocks. */
export function resultContent(content: unknown): ToolCallContent[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  return blocks.flatMap((value): ToolCallContent[] => {
    const { type, text, source } = fieldsOf(value);
    if (type === "text") {
      const words = plainResult(textIn(text) ?? "");
      return words === "" ? [] : [textContent(words)];
    }
    const { data, media_type } = fieldsOf(source);
    if (type === "image" && isText(data) && isText(media_type)) return [imageContent(data, media_type)];
    return reportOf(value).content ?? [];
  });
}

/** In words, for a call that failed. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return plainResult(content);
  return listOf(content)
    .flatMap((value) => textIn(fieldsOf(value).text) ?? [])
    .map(plainResult)
    .join("\n");
}

/** The lines that Claude Code's own Edit and Write changed. */
export function changedLines(toolUseResult: unknown): ToolCallLocation[] {
  const { filePath, structuredPatch } = fieldsOf(toolUseResult);
  if (typeof filePath !== "string") return [];
  return listOf(structuredPatch).map((hunk) => ({
    path: filePath,
    line: Math.max(1, countIn(fieldsOf(hunk).newStart)),
  }));
}

/** Claude Code's own Write knows what stood there before. */
export function writtenDiff(toolUseResult: unknown): ToolCallContent[] {
  const { filePath, content, originalFile } = fieldsOf(toolUseResult);
  if (!isText(filePath) || !isText(content)) return [];
  return [diffOf(filePath, textIn(originalFile), content)];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Without the marks that Claude Code puts around words for the model. */
function plainResult(text: string): string {
  return text
    .replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, "$1")
    .replaceAll(/<system-reminder>[^]*?<\/system-reminder>\s*/g, "")
    .trimEnd();
}
