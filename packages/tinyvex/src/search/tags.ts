// The filters of a search as words of the index: an item carries a word for its agent, thread, kind, status and for every
// folder above it, so that a filter costs what its own matches cost and not a look at every match of the text.
import { createHash } from "node:crypto";

export type TagName = "agent" | "thread" | "kind" | "status" | "folder";

/** One word that the tokenizer leaves whole and that stands for the value. */
export function tag(name: TagName, value: string): string {
  return `x${createHash("sha256").update(`${name}:${value}`).digest("hex").slice(0, 12)}`;
}

/** The words of a folder and everything above it: a filter by folder finds what happened below it. */
export function folderTags(cwd: string): string[] {
  return ancestors(cwd).map((folder) => tag("folder", folder));
}

export function normalizeFolder(folder: string): string {
  const trimmed = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return trimmed === "" ? "/" : trimmed;
}

function ancestors(cwd: string): string[] {
  const folder = normalizeFolder(cwd);
  const parts = folder.split("/");
  const above = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  return [...new Set(above.map((path) => (path === "" ? "/" : path)))];
}
