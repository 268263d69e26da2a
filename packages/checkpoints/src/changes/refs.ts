// Names the refs of the store under which checkpoints are kept.

export const threadRefs = "refs/checkpoints/threads";

/** The name under which a checkpoint is kept. */
export function makeRef(threadId: string, turnId: string, moment: "before" | "after" | "found"): string {
  return `${makeRefFolder(threadId)}/${encodeURIComponent(turnId)}/${moment}`;
}

export function makeRefFolder(threadId: string): string {
  return `${threadRefs}/${encodeURIComponent(threadId)}`;
}
