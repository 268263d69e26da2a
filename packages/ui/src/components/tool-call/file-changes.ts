// Reads the file changes in a tool call's content. Of a large text the row has only the beginning, and a reference to the whole.
import {
  type BlobRef,
  isJsonObject,
  type Json,
  type ToolCallContent,
  type ToolCallRow,
  toFields,
} from "@signalbox/protocol";
import { compareLines } from "@signalbox/protocol/compare-lines";
import type { ShownChange } from "../diff/file-diff.tsx";

export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Where the whole texts are, if `before` or `after` is only the beginning. */
  readonly wholeTexts: { readonly before: BlobRef | null; readonly after: BlobRef | null } | null;
}

/** Larger texts, both together, are not compared. */
const maxCharacters = 2_000_000;

const known = new WeakMap<object, ShownChange>();

/** Null when the texts are not loaded in full, or too large to compare. Cached by the row's content object, because the head counts it and the body shows it. */
export function comparedChange(source: object, { path, before, after, wholeTexts }: FileChange): ShownChange | null {
  if (wholeTexts !== null || before.length + after.length > maxCharacters) return null;
  const cached = known.get(source);
  if (cached !== undefined) return cached;
  // Whether the file is new is not said: the agent leaves the old text out of some changes of existing files too.
  const { isRough: rough, ...comparison } = compareLines(before, after);
  const compared: ShownChange = { path, status: "modified", rough, ...comparison };
  known.set(source, compared);
  return compared;
}

/** The changes of files that a tool call has, each with the content object, by which its diff is cached. */
export function fileChanges(toolCall: Pick<ToolCallRow, "content">): readonly { source: object; change: FileChange }[] {
  return toolCall.content.flatMap((content) => {
    const change = readFileChange(content);
    return change === null ? [] : [{ source: content, change }];
  });
}

/** Null for content that is no file change. */
export function readFileChange(content: ToolCallContent): FileChange | null {
  const { type, path, oldText, newText, _meta: meta } = content as Record<string, Json | undefined>;
  if (type !== "diff" || typeof path !== "string" || typeof newText !== "string") return null;
  const refs = isJsonObject(meta) && isJsonObject(meta["signalbox/blobs"]) ? meta["signalbox/blobs"] : {};
  const [before, after] = [readBlobRef(refs.oldText), readBlobRef(refs.newText)];
  return {
    path,
    before: typeof oldText === "string" ? oldText : "",
    after: newText,
    wholeTexts: before === null && after === null ? null : { before, after },
  };
}

/** The reference to the whole content, where it was too large for the row and only the beginning of its JSON is here. */
export function wholeContentRef(content: readonly ToolCallContent[]): BlobRef | null {
  const { content: block } = (content[0] ?? {}) as Record<string, Json | undefined>;
  const { _meta: meta } = toFields(block);
  return isJsonObject(meta) && meta["signalbox/json"] === true ? readBlobRef(meta["signalbox/blob"]) : null;
}

export function readBlobRef(value: Json | undefined): BlobRef | null {
  if (!isJsonObject(value) || typeof value.hash !== "string" || typeof value.size !== "number") return null;
  return { hash: value.hash, size: value.size };
}
