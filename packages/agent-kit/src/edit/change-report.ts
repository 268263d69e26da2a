// Reports the change of a file: the diff and the changed lines. Of a big file only the part that changed.
import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import { changedLocations, diffContent } from "@signalbox/tool-calls";

export interface ChangeReport {
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
}

const wholeUpTo = 200_000;
const linesAround = 20;

/** `before` is null for a new file. */
export function changeReport(path: string, before: string | null, after: string): ChangeReport {
  const [old, now] = [before?.toWellFormed() ?? null, after.toWellFormed()];
  const locations = changedLocations(path, old, now);
  if (old === null || old.length + now.length <= wholeUpTo)
    return { content: [diffContent(path, old, now)], locations };
  const part = changedPart(old.split("\n"), now.split("\n"));
  return { content: [diffContent(path, part.old, part.now)], locations };
}

/** Both texts from some lines before the first difference to some lines after the last. */
function changedPart(old: readonly string[], now: readonly string[]): { readonly old: string; readonly now: string } {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const from = Math.max(0, start - linesAround);
  const kept = Math.max(0, end - linesAround);
  return { old: old.slice(from, old.length - kept).join("\n"), now: now.slice(from, now.length - kept).join("\n") };
}
