// Converts ACP prompt blocks to what a model reads.
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { UserPart } from "../providers/model.ts";

export function userParts(blocks: readonly ContentBlock[]): readonly UserPart[] {
  return blocks.map(userPart);
}

function userPart(block: ContentBlock): UserPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mimeType };
    case "resource_link":
      return { type: "text", text: `[${block.title ?? block.name}](${block.uri})` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { type: "text", text: `<resource uri="${resource.uri}">\n${resource.text}\n</resource>` };
      if (resource.mimeType?.startsWith("image/"))
        return { type: "image", data: resource.blob, mimeType: resource.mimeType };
      if (resource.mimeType === "application/pdf") return { type: "pdf", data: resource.blob, name: resource.uri };
      return { type: "text", text: `[binary resource ${resource.uri}, ${resource.mimeType ?? "of unknown type"}]` };
    }
    case "audio":
      return { type: "text", text: `[audio, ${block.mimeType}: this agent cannot hear]` };
  }
}

/** The words of a prompt, for titles and for routing. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      return block.type === "resource_link" ? [block.name] : [];
    })
    .join("\n");
}

const maxTitleLength = 80;

export function composeTitle(blocks: readonly ContentBlock[]): string {
  const line = promptText(blocks).trim().split("\n")[0]?.trim() ?? "";
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1)}…` : line || "New session";
}
