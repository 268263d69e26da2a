// Which changed files a person has looked at, by thread. A file that changes again is not viewed any more.
import type { ChangeRow } from "@signalbox/protocol";
import { StoredValue } from "./stored-value.ts";

type ViewedFiles = Readonly<Record<string, Readonly<Record<string, string>>>>;
type File = Pick<ChangeRow, "path" | "status" | "added" | "removed">;

export const viewedFiles = new StoredValue<ViewedFiles>("viewed-files", {});

export function isViewed(all: ViewedFiles, threadId: string, file: File): boolean {
  return all[threadId]?.[file.path] === describeVersion(file);
}

export function toggleViewed(threadId: string, file: File): void {
  const all = viewedFiles.get();
  const { [file.path]: _, ...others } = all[threadId] ?? {};
  const marked = isViewed(all, threadId, file) ? others : { ...others, [file.path]: describeVersion(file) };
  viewedFiles.set({ ...all, [threadId]: marked });
}

/** The state of a change in which it was viewed. */
function describeVersion({ status, added, removed }: File): string {
  return `${status} +${added} -${removed}`;
}
