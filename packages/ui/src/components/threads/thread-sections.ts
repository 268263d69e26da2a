// Puts threads in the order of the list: those that wait for the person first, then what is pinned, then by folder, the folder with the latest activity first.

import type { ThreadRow } from "@signalbox/protocol";
import type { WaitingThread } from "@signalbox/react";

interface ThreadSections {
  readonly waiting: readonly { readonly thread: ThreadRow; readonly question: WaitingThread }[];
  readonly pinned: readonly ThreadRow[];
  readonly folders: readonly (readonly [folder: string, threads: readonly ThreadRow[]])[];
}

/** `threads`: the latest first. */
export function threadSections(threads: readonly ThreadRow[], waiting: readonly WaitingThread[]): ThreadSections {
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  const first = waiting.flatMap((question) => {
    const thread = byId.get(question.threadId);
    return thread === undefined ? [] : [{ thread, question }];
  });
  const isWaiting = new Set(first.map(({ thread }) => thread.id));
  const others = threads.filter((thread) => !isWaiting.has(thread.id));
  const pinned = others.filter((thread) => thread.pinned && !thread.archived);
  const inFolders = others.filter((thread) => !pinned.includes(thread));
  return { waiting: first, pinned, folders: [...Map.groupBy(inFolders, (thread) => chooseFolder(thread))] };
}

/** A thread in a worktree is in its project. */
export function chooseFolder({ git, cwd }: ThreadRow): string {
  return git?.project ?? cwd;
}

/** All threads of the list from top to bottom. */
export function inListOrder({ waiting, pinned, folders }: ThreadSections): readonly ThreadRow[] {
  return [...waiting.map(({ thread }) => thread), ...pinned, ...folders.flatMap(([, threads]) => threads)];
}
