// Comments on lines of changed files that were not sent yet, by thread. They stay in this browser until they are sent or removed.
import type { LineComment } from "../text/comment-prompt.ts";
import { StoredValue } from "./stored-value.ts";

export const lineComments = new StoredValue<Readonly<Record<string, readonly LineComment[]>>>("line-comments", {});

export function selectComments(
  all: Readonly<Record<string, readonly LineComment[]>>,
  threadId: string,
): readonly LineComment[] {
  return all[threadId] ?? [];
}

/** Adds a comment, or replaces the one on the same line. An empty text removes it. */
export function setComment(threadId: string, comment: LineComment): void {
  const others = selectComments(lineComments.get(), threadId).filter(
    ({ path, line }) => path !== comment.path || line !== comment.line,
  );
  const comments = comment.text.trim() === "" ? others : [...others, comment];
  setAll(threadId, comments);
}

export function removeComments(threadId: string): void {
  setAll(threadId, []);
}

function setAll(threadId: string, comments: readonly LineComment[]): void {
  const { [threadId]: _, ...others } = lineComments.get();
  lineComments.set(comments.length === 0 ? others : { ...others, [threadId]: comments });
}
