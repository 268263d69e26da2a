// Converts the result of an MCP server for the model and for the person.
import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { maxImageBytes, maxPdfBytes } from "@signalbox/agent-kit";
import { reportResult } from "@signalbox/tool-calls";
import type { ModelContent, ToolResult } from "../tools/tool.ts";

/** The image types that models accept. */
const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

type Block = CallToolResult["content"][number];

export function resultOfServer(result: CallToolResult): ToolResult {
  const { content, structuredContent, isError } = result;
  const blocks = content.map(modelContent);
  const report = reportResult(result);
  return {
    content: blocks.length > 0 ? blocks : [{ type: "text", text: structuredText(structuredContent) }],
    ...(report.content === undefined ? {} : { display: report.content }),
    ...(structuredContent === undefined ? {} : { rawOutput: structuredContent }),
    ...(isError === true ? { isError: true } : {}),
  };
}

function structuredText(structured: unknown): string {
  return structured === undefined ? "Done, without output." : JSON.stringify(structured, null, 2);
}

/** A part of a result or of a prompt, for the model. */
export function modelContent(block: Block): ModelContent {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return (
        image(block.data, block.mimeType) ??
        text(`[image ${block.mimeType}, ${bytes(block.data)} bytes: cannot be shown to you]`)
      );
    case "audio":
      return text(`[audio ${block.mimeType}, ${bytes(block.data)} bytes: cannot be played to you]`);
    case "resource_link":
      return text(`[${block.name}](${block.uri})${block.description === undefined ? "" : `: ${block.description}`}`);
    case "resource":
      return resourceContent(block.resource);
  }
}

export function resourceContent(resource: ReadResourceResult["contents"][number]): ModelContent {
  const { uri, mimeType = "" } = resource;
  if ("text" in resource) return text(`${uri}:\n${resource.text}`);
  const { blob } = resource;
  if (mimeType === "application/pdf" && bytes(blob) <= maxPdfBytes) return { type: "pdf", data: blob, name: uri };
  return (
    image(blob, mimeType) ?? text(`[${uri}, ${mimeType || "binary"}, ${bytes(blob)} bytes: cannot be shown to you]`)
  );
}

function image(data: string, mimeType: string): ModelContent | undefined {
  return imageTypes.has(mimeType) && bytes(data) <= maxImageBytes ? { type: "image", data, mimeType } : undefined;
}

function bytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

function text(value: string): ModelContent {
  return { type: "text", text: value };
}
