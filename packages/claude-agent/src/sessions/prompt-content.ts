// Converts an ACP prompt to what Claude reads: text, images and attachments.
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ImageType, SdkContentBlock } from "../sdk/sdk.ts";
import { asClaudeCommand } from "../updates/commands.ts";

const imageTypes: ReadonlySet<string> = new Set<ImageType>(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Puts the person's text first, because a command counts only at the beginning. Attached texts follow. */
export function promptContent(prompt: readonly ContentBlock[]): SdkContentBlock[] {
  const said: SdkContentBlock[] = [];
  const attached: SdkContentBlock[] = [];
  for (const block of prompt) {
    switch (block.type) {
      case "text":
        said.push({ type: "text", text: said.length === 0 ? asClaudeCommand(block.text) : block.text });
        break;
      case "image":
        said.push(image(block.data, block.mimeType, block.uri ?? null));
        break;
      case "resource_link":
        said.push({ type: "text", text: linkText(block.uri, block.name) });
        break;
      case "resource": {
        const { resource } = block;
        if ("text" in resource) {
          said.push({ type: "text", text: linkText(resource.uri, readName(resource.uri)) });
          attached.push({ type: "text", text: `\n<context ref="${resource.uri}">\n${resource.text}\n</context>` });
        } else attached.push(binary(resource.blob, resource.mimeType ?? "", resource.uri));
        break;
      }
      case "audio":
        said.push({ type: "text", text: "[A recording that cannot be heard here was left out.]" });
        break;
    }
  }
  return [...said, ...attached];
}

function image(data: string, mimeType: string, uri: string | null): SdkContentBlock {
  if (data !== "" && isImageType(mimeType)) {
    return { type: "image", source: { type: "base64", media_type: mimeType, data } };
  }
  if (uri !== null && /^https?:/.test(uri)) return { type: "image", source: { type: "url", url: uri } };
  return { type: "text", text: `[An image of the type ${mimeType}, which Claude cannot see, was left out.]` };
}

function binary(data: string, mimeType: string, uri: string): SdkContentBlock {
  if (mimeType === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: mimeType, data } };
  }
  if (isImageType(mimeType)) return image(data, mimeType, uri);
  return { type: "text", text: `[${uri} is no text and was left out.]` };
}

/** Not `@path`, which Claude Code would read by itself, past the client. */
function linkText(uri: string, name: string): string {
  return `[@${name}](${uri})`;
}

function readName(uri: string): string {
  return uri.split("/").at(-1) || uri;
}

function isImageType(type: string): type is ImageType {
  return imageTypes.has(type);
}
