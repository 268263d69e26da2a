// Decides who made a change: an edit that a tool call describes, a command that ran in the turn, or both. Compares the texts themselves.
import { isAbsolute, relative, resolve } from "node:path";
import { type ChangeRow, isJsonObject, type Json, type ToolCallRow } from "@signalbox/protocol";

/** An edit as a tool call describes it. */
export interface DescribedEdit {
  /** Relative to the thread's folder. */
  readonly path: string;
  /** The text before it, whole or in part; null where the call does not say. */
  readonly before: string | null;
  /** Null where the call only names the path. */
  readonly after: string | null;
}

/** The edits of calls that did not fail, in order. `content` is that of the row with all of its texts. */
export function readEdits(call: ToolCallRow, content: Json, folder: string): readonly DescribedEdit[] {
  if (call.status === "failed") return [];
  const toRelative = (path: string) => relative(folder, isAbsolute(path) ? path : resolve(folder, path));
  const diffs = (Array.isArray(content) ? content : []).flatMap((entry): DescribedEdit[] => {
    if (!isJsonObject(entry) || entry.type !== "diff" || typeof entry.path !== "string") return [];
    const { oldText, newText } = entry;
    return [
      {
        path: toRelative(entry.path),
        before: typeof oldText === "string" ? oldText : null,
        after: typeof newText === "string" ? newText : null,
      },
    ];
  });
  if (diffs.length > 0) return diffs;
  const isNaming = call.kind === "delete" || call.kind === "move" || call.kind === "edit";
  return isNaming ? call.locations.map(({ path }) => ({ path: toRelative(path), before: null, after: null })) : [];
}

/** `was` and `is` are the texts on the disk; null where there is no file, or no text. */
export function decideSource(
  edits: readonly DescribedEdit[],
  was: string | null,
  is: string | null,
): ChangeRow["source"] {
  if (edits.length === 0) return "command";
  let text: string | undefined = was ?? "";
  for (const { before, after } of edits) {
    // A call that only names the file says nothing that could be checked.
    if (after === null) return "tool";
    text = applyEdit(text, before, after);
  }
  if (text !== undefined) return text === (is ?? "") ? "tool" : "both";
  // The edits are parts whose places are not known: at least their texts must be there.
  return edits.every(({ after }) => is?.includes(after ?? "") === true) ? "tool" : "both";
}

/** Undefined where the edit does not fit in exactly one way. */
function applyEdit(text: string | undefined, before: string | null, after: string): string | undefined {
  if (before === null || before === "" || before === text) return after;
  if (text === undefined) return undefined;
  const at = text.indexOf(before);
  // Both the agent's call and the host's item may describe the same write. The second one finds its text already there.
  if (at < 0 && after !== "" && text.includes(after)) return text;
  return at < 0 || text.includes(before, at + 1)
    ? undefined
    : text.slice(0, at) + after + text.slice(at + before.length);
}
