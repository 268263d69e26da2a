// From ACP prompt blocks to what a model reads.
import type { ContentBlock } from "@agentclientprotocol/sdk";

export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join("\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}]`;
  }
}
