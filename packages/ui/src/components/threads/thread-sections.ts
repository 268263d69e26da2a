// Puts threads in the order of the list: those that wait for the person first, then by folder, the folder with the latest activity first.
import type { ThreadRow } from "@signalbox/protocol";
import type { WaitingThread } from "../../stores/questions-store.ts";

interface ThreadSections {
  readonly waiting: readonly { readonly thread: ThreadRow; readonly question: WaitingThread }[];
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
  return { waiting: first, folders: [...Map.groupBy(others, (thread) => thread.git?.project ?? thread.cwd)] };
}

/** All threads of the list from top to bottom. */
export function inListOrder({ waiting, folders }: ThreadSections): readonly ThreadRow[] {
  return [...waiting.map(({ thread }) => thread), ...folders.flatMap(([, threads]) => threads)];
}
