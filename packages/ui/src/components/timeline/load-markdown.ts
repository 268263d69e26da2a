// Loads the Markdown renderer: when the first text is shown, or earlier when the page starts with a thread.
import { loadPart } from "../../connection/load-part.ts";
import type MarkdownBlock from "./markdown-block.tsx";

let loaded: typeof MarkdownBlock | null = null;

export async function loadMarkdown(): Promise<{ default: typeof MarkdownBlock }> {
  const part = await loadPart(() => import("./markdown-block.tsx"));
  loaded = part.default;
  return part;
}

/** Null while it is not loaded. */
export function loadedMarkdown(): typeof MarkdownBlock | null {
  return loaded;
}
