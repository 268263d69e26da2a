// Reduces ACP content to what a document can show: text, a picture, a file change, a link, or the name of anything else.
import type { ContentBlock, MessageRow, ToolCallContent, ToolCallRow } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";

export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string }
  | { readonly type: "link"; readonly name: string; readonly uri: string }
  | { readonly type: "diff"; readonly path: string; readonly oldText: string | null; readonly newText: string }
  | { readonly type: "other"; readonly name: string };

export function readMessagePieces({ text, content }: MessageRow): readonly Piece[] {
  return content === null ? [{ type: "text", text }] : content.map(readBlock);
}

/** Terminals are left out: each is an entry of its own. */
export function readToolCallPieces({ content }: Pick<ToolCallRow, "content">): readonly Piece[] {
  return content.flatMap(readToolCallPiece);
}

function readToolCallPiece(part: ToolCallContent): readonly Piece[] {
  if (part.type === "content" && isJsonObject(part.content)) return [readBlock(part.content as ContentBlock)];
  if (part.type === "diff" && typeof part.path === "string" && typeof part.newText === "string") {
    const oldText = typeof part.oldText === "string" ? part.oldText : null;
    return [{ type: "diff", path: part.path, oldText, newText: part.newText }];
  }
  return part.type === "terminal" ? [] : [{ type: "other", name: part.type }];
}

function readBlock(block: ContentBlock): Piece {
  const { type, text, data, mimeType, uri, name } = block as { readonly [key: string]: unknown };
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return { type: "image", mimeType, data };
  }
  if (type === "resource_link" && typeof uri === "string") {
    return { type: "link", uri, name: typeof name === "string" ? name : uri };
  }
  const resource = (block as { resource?: unknown }).resource;
  if (type === "resource" && isJsonObject(resource)) {
    if (typeof resource.text === "string") return { type: "text", text: resource.text };
    if (typeof resource.uri === "string") return { type: "link", uri: resource.uri, name: resource.uri };
  }
  return { type: "other", name: String(type) };
}
