// Shows a content block of a message or a tool call. An unknown type is shown as JSON.

import {
  type BlobRef,
  type ContentBlock,
  isJsonObject,
  isTextBlock,
  type Json,
  type TextBlock,
} from "@signalbox/protocol";
import { lastName } from "../../text/paths.ts";
import { readBlobRef } from "../tool-call/file-changes.ts";
import { BlobText } from "./blob-text.tsx";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { PathLink } from "./path-link.tsx";

export function ContentBlockView({ block }: { block: ContentBlock }) {
  if (isTextBlock(block)) {
    const blob = readTextBlob(block);
    return blob === null ? <LongText text={block.text} /> : <BlobText preview={block.text} blob={blob} />;
  }
  const { type, uri, name, mimeType, data } = block as Record<string, Json | undefined>;
  if (type === "image" && typeof data === "string" && isPicture(mimeType)) {
    return <img className="picture" src={`data:${mimeType};base64,${data}`} alt="From the agent" loading="lazy" />;
  }
  if (type === "resource_link" && typeof uri === "string") {
    return <ResourceLink uri={uri} name={typeof name === "string" ? name : lastName(uri)} />;
  }
  const resource = "resource" in block && isJsonObject(block.resource) ? block.resource : null;
  if (type === "resource" && resource !== null && typeof resource.text === "string") {
    return (
      <Fold className="resource" summary={typeof resource.uri === "string" ? resource.uri : "resource"}>
        <LongText text={resource.text} />
      </Fold>
    );
  }
  return <LongText text={JSON.stringify(block, null, 2)} />;
}

/** Web addresses are links, and so are files of the thread's folder. */
function ResourceLink({ uri, name }: { uri: string; name: string }) {
  if (/^https?:\/\//i.test(uri)) {
    return (
      <a className="mention" href={uri} target="_blank" rel="noreferrer noopener">
        {name}
      </a>
    );
  }
  return (
    <PathLink path={readFilePath(uri) ?? "/"} className="mention">
      @{name}
    </PathLink>
  );
}

function readFilePath(uri: string): string | null {
  try {
    return /^file:\/\/\//i.test(uri) ? decodeURIComponent(uri.slice("file://".length)) : null;
  } catch {
    return null;
  }
}

/** The reference to the whole text, if the block has only its beginning. */
export function readTextBlob({ _meta: meta }: TextBlock): BlobRef | null {
  return readBlobRef(meta?.["signalbox/blob"]);
}

/** SVG is safe as an image: it runs no scripts, and the page's policy blocks what it would load. */
function isPicture(type: unknown): type is string {
  return typeof type === "string" && /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml|bmp)$/.test(type);
}
