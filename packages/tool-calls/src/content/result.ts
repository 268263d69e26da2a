// Converts what a tool returned to ACP content: text, MCP results, ACP content, plain data, or nothing.

import { isDeepStrictEqual } from "node:util";
import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import { type Fields, isFields, readFields } from "@signalbox/rules";
import { textContent } from "./content.ts";
import { defaultMaxLength, jsonCopy } from "./json-copy.ts";

export interface ResultReport {
  /** Absent when there is nothing to show. */
  readonly content?: ToolCallContent[];
  /** The structured part, if there is one. Text is not repeated here. */
  readonly rawOutput?: unknown;
  /** Set when the result itself says that the call failed (`isError` of MCP). */
  readonly failure?: string;
}

/** How to report what a tool returned. `maxLength` bounds how much of plain data is rendered. */
export function reportResult(result: unknown, maxLength = defaultMaxLength): ResultReport {
  if (result === undefined || result === null || result === "") return {};
  if (typeof result === "string") return { content: [textContent(result)] };
  const copy = jsonCopy(result, maxLength);
  const { content, isError, structuredContent } = readFields(copy);
  const blocks = contentList(content) ?? contentList(Array.isArray(copy) ? copy : [copy]);
  if (blocks === undefined) return { content: [textContent(JSON.stringify(copy, null, 2) ?? "")], rawOutput: copy };
  return {
    ...(blocks.length === 0 ? {} : { content: blocks }),
    ...(structuredContent === undefined ? {} : { rawOutput: structuredContent }),
    ...(isError === true ? { failure: joinText(blocks) || "The tool reported an error without saying which." } : {}),
  };
}

/**
 * Combines the content shown while the tool ran (a diff, a terminal) with its result. Text that grew into the result is not shown twice. Returns
 * undefined if the result adds nothing.
 */
export function withShown(
  shown: readonly ToolCallContent[],
  result: readonly ToolCallContent[] | undefined,
): readonly ToolCallContent[] | undefined {
  if (result === undefined) return undefined;
  const text = joinText(result);
  const kept = shown.filter((item) => item.type !== "content" || !text.startsWith(joinText([item])));
  return [...kept, ...result.filter((item) => !kept.some((other) => isDeepStrictEqual(other, item)))];
}

/** The list as ACP content, if every part of it is content. */
function contentList(values: unknown): ToolCallContent[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const list: ToolCallContent[] = [];
  for (const value of values) {
    if (isToolCallContent(value)) list.push(value);
    else if (isContentBlock(value)) list.push({ type: "content", content: value });
    else return undefined;
  }
  return list;
}

function isToolCallContent(value: unknown): value is ToolCallContent {
  if (!isFields(value)) return false;
  switch (value.type) {
    case "content":
      return isContentBlock(value.content);
    case "diff":
      return (
        hasTexts(value, "path", "newText") && (typeof value.oldText === "string" || (value.oldText ?? null) === null)
      );
    case "terminal":
      return hasTexts(value, "terminalId");
    default:
      return false;
  }
}

// One malformed block would make the client refuse the whole notification.
function isContentBlock(value: unknown): value is ContentBlock {
  if (!isFields(value)) return false;
  switch (value.type) {
    case "text":
      return hasTexts(value, "text");
    case "image":
    case "audio":
      return hasTexts(value, "data", "mimeType");
    case "resource_link":
      return hasTexts(value, "uri", "name");
    case "resource": {
      const resource = readFields(value.resource);
      return hasTexts(resource, "uri", "text") || hasTexts(resource, "uri", "blob");
    }
    default:
      return false;
  }
}

function hasTexts(fields: Fields, ...names: readonly string[]): boolean {
  return names.every((name) => typeof fields[name] === "string");
}

function joinText(content: readonly ToolCallContent[]): string {
  return content
    .flatMap((item) => (item.type === "content" && item.content.type === "text" ? [item.content.text] : []))
    .join("\n");
}
