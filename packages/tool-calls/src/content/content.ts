// Makes the content blocks of a tool call, and bounds what is sent of them.
import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** `data` is base64. */
export function imageContent(data: string, mimeType: string): ToolCallContent {
  return { type: "content", content: { type: "image", data, mimeType } };
}

export function resourceContent(uri: string, text: string, mimeType?: string): ToolCallContent {
  const resource = mimeType === undefined ? { uri, text } : { uri, text, mimeType };
  return { type: "content", content: { type: "resource", resource } };
}

export function resourceLinkContent(uri: string, name: string): ToolCallContent {
  return { type: "content", content: { type: "resource_link", uri, name } };
}

/** Shows a terminal that was made with `terminal/create`. Send it before the terminal is released. */
export function terminalContent(terminalId: string): ToolCallContent {
  return { type: "terminal", terminalId };
}

/** A diff of one file. `before` is null or undefined for a new file. The path should be absolute. */
export function diffContent(
  path: string,
  before: string | null | undefined,
  after: string,
): ToolCallContent & { type: "diff" } {
  return { type: "diff", path, oldText: before ?? null, newText: after };
}

const truncated = "\n[output truncated]";

/** The same content with at most `maxLength` characters: text is truncated, anything else that is too long is replaced by a note. */
export function boundContent(content: readonly ToolCallContent[], maxLength: number): ToolCallContent[] {
  let left = maxLength;
  return content.map((item) => {
    const length = contentLength(item);
    const room = Math.max(0, left);
    left -= length;
    if (length <= room) return item;
    if (item.type === "content" && item.content.type === "text") {
      return { ...item, content: { ...item.content, text: `${item.content.text.slice(0, room)}${truncated}` } };
    }
    const what = item.type === "content" ? item.content.type : item.type;
    return textContent(`[${what} of ${length} characters is too long to send]`);
  });
}

/** The characters of text and data in one piece of content. */
export function contentLength(item: ToolCallContent): number {
  switch (item.type) {
    case "content":
      return blockLength(item.content);
    case "diff":
      return item.newText.length + (item.oldText?.length ?? 0);
    case "terminal":
      return 0;
  }
}

function blockLength(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "image":
    case "audio":
      return block.data.length;
    case "resource":
      return "text" in block.resource ? block.resource.text.length : block.resource.blob.length;
    case "resource_link":
      return block.uri.length;
  }
}
