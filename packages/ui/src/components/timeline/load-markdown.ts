// The renderer of Markdown, which loads when the first text is shown, or earlier when it is known that there will be one.
import { loadPart } from "../../connection/load-part.ts";
import type MarkdownBlock from "./markdown-block.tsx";

let loaded: typeof MarkdownBlock | null = null;

export async function loadMarkdown(): Promise<{ default: typeof MarkdownBlock }> {
  const part = await loadPart(() => import("./markdown-block.tsx"));
  loaded = part.default;
  return part;
}

/** Null while it is not here. */
export function loadedMarkdown(): typeof MarkdownBlock | null {
  return loaded;
}
