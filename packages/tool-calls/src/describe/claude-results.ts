// Describes what a tool of Claude Code returned: the text that the model got and, for edits, the lines that changed.

import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import { readFields } from "@signalbox/rules";
import { diffContent, imageContent, textContent } from "../content/content.ts";
import { reportResult } from "../content/result.ts";

export interface ClaudeToolResult {
  /** As the Messages API has it: a text, or blocks. */
  readonly content: unknown;
  readonly isError: boolean;
  /** Claude Code's own record of the result: for Edit and Write the patch and the whole texts. */
  readonly toolUseResult?: unknown;
}

export interface ClaudeResultReport {
  /** Absent when the call goes on showing what it showed before. */
  readonly content?: ToolCallContent[];
  readonly locations?: ToolCallLocation[];
  /** Why the tool failed; absent when it did not. */
  readonly failure?: string;
}

/** How to report the result of a call. One that shows a diff keeps it; anything else shows what it returned, also an MCP tool that sounds like an edit. */
export function describeClaudeResult(
  call: { readonly content?: readonly ToolCallContent[] | undefined },
  result: ClaudeToolResult,
): ClaudeResultReport {
  if (result.isError) return { failure: resultText(result.content) || "It failed without an error message." };
  const showsDiff = call.content?.some(({ type }) => type === "diff") === true;
  const content = showsDiff ? writtenDiff(result.toolUseResult) : resultContent(result.content);
  const locations = changedLines(result.toolUseResult);
  return { ...(content.length > 0 && { content }), ...(locations.length > 0 && { locations }) };
}

function resultContent(content: unknown): ToolCallContent[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : readList(content);
  return blocks.flatMap((block): ToolCallContent[] => {
    const { type, text, source } = readFields(block);
    if (type === "text") {
      const shownText = withoutModelMarks(typeof text === "string" ? text : "");
      return shownText === "" ? [] : [textContent(shownText)];
    }
    const { data, media_type: mimeType } = readFields(source);
    if (type === "image" && typeof data === "string" && typeof mimeType === "string")
      return [imageContent(data, mimeType)];
    return reportResult(block).content ?? [];
  });
}

function resultText(content: unknown): string {
  if (typeof content === "string") return withoutModelMarks(content);
  return readList(content)
    .map((block) => readFields(block).text)
    .filter((text) => typeof text === "string")
    .map(withoutModelMarks)
    .join("\n");
}

/** The lines that Claude Code's own Edit and Write changed. */
function changedLines(toolUseResult: unknown): ToolCallLocation[] {
  const { filePath, structuredPatch } = readFields(toolUseResult);
  if (typeof filePath !== "string") return [];
  return readList(structuredPatch).map((hunk) => {
    const { newStart } = readFields(hunk);
    return { path: filePath, line: typeof newStart === "number" && newStart > 1 ? newStart : 1 };
  });
}

/** Claude Code's own Write knows the text that was there before. */
function writtenDiff(toolUseResult: unknown): ToolCallContent[] {
  const { filePath, content, originalFile } = readFields(toolUseResult);
  if (typeof filePath !== "string" || typeof content !== "string") return [];
  return [diffContent(filePath, typeof originalFile === "string" ? originalFile : null, content)];
}

/** Removes the tags that Claude Code adds for the model. */
function withoutModelMarks(text: string): string {
  return text
    .replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, "$1")
    .replaceAll(/<system-reminder>[^]*?<\/system-reminder>\s*/g, "")
    .trimEnd();
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
