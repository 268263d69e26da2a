// Actions on a thread, shared by the menus in the list and the header and by the command palette.

import {
  type MachineRow,
  messageOf,
  type ThreadRow,
  type ThreadStateRow,
  type ThreadStatus,
} from "@signalbox/protocol";
import { withoutThread } from "../../hooks/thread-pair.ts";
import { go } from "../../hooks/use-route.ts";
import { goingToQuestion } from "../../stores/going-to-question.ts";
import { handingOver } from "../../stores/handing-over.ts";
import { losing } from "../../stores/losing.ts";
import { showNotice } from "../../stores/notices.ts";
import {
  closeThread,
  currentRoute,
  forgetThread,
  hasRoomForTwo,
  openSecondPane,
  showThread,
  swapThreads,
} from "../../stores/panes.ts";
import { goWhenReady } from "../../stores/person-activity.ts";
import { renaming } from "../../stores/renaming.ts";
import { isUnread, markUnread, seen } from "../../stores/seen-store.ts";
import type { Signalbox } from "../../stores/signalbox.ts";
import { readRefusedFiles } from "../../text/refused-files.ts";
import { choose, otherChoices } from "../composer/session-choices.ts";
import { type ExportFormat, exportFormats, exportThread } from "./export-thread.ts";
import { machineElsewhere } from "./machine-label.ts";

interface ThreadAction {
  readonly name: string;
  /** The palette finds it by these words too. */
  readonly words?: string;
  readonly isDangerous?: boolean;
  readonly run: () => void;
}

export function threadActions(
  { connection, deletions }: Pick<Signalbox, "connection" | "deletions">,
  machines: readonly MachineRow[],
  thread: ThreadRow,
): readonly ThreadAction[] {
  const { id: thread_id } = thread;
  const isHere = machineElsewhere(thread, machines) === null;
  const update = (updates: { readonly archived?: boolean; readonly pinned?: boolean }) =>
    attempt(connection.request("tvx.update_thread", { thread_id, updates }));
  const open = () => showThread(thread_id);
  const fork = async () => {
    const openThread = goWhenReady();
    const forked = await connection.request("session.fork", { thread_id });
    openThread({ page: "thread", threadId: forked.thread_id }, "The fork is ready. It is in the list.");
  };
  const remove = async () => {
    const files = thread.git?.worktree === undefined ? [] : await listFilesAtRisk(connection, thread_id);
    if (files.length === 0) deleteThread(deletions, thread, false);
    else losing.set({ thread, files });
  };
  const own: readonly ThreadAction[] = [
    {
      name: "Rename",
      run: () => {
        open();
        renaming.set(thread_id);
      },
    },
    { name: thread.pinned ? "Unpin" : "Pin", run: () => update({ pinned: !thread.pinned }) },
  ];
  const last: readonly ThreadAction[] = [
    { name: thread.archived ? "Unarchive" : "Archive", run: () => update({ archived: !thread.archived }) },
    { name: "Delete", isDangerous: true, run: () => attempt(remove()) },
  ];
  const goOn: readonly ThreadAction[] = [
    {
      name: "Hand over …",
      run: () => {
        open();
        handingOver.set(thread_id);
      },
    },
    { name: "Fork", run: () => attempt(fork()) },
  ];
  // Never answered from here: a person has to see what is asked.
  const toQuestion: ThreadAction = {
    name: "Go to the question",
    words: "allow deny answer permission",
    run: () => {
      open();
      goingToQuestion.set(thread_id);
    },
  };
  return [
    ...(thread.status === "waiting" ? [toQuestion] : []),
    ...besideActions(thread_id),
    ...(isHere ? own : []),
    ...(isUnread(seen.get(), thread) ? [] : [{ name: "Mark as unread", run: () => markUnread(thread) }]),
    ...(isAtWork(thread.status)
      ? [{ name: "Stop the turn", run: () => attempt(connection.request("run.cancel", { thread_id })) }]
      : []),
    hasNoProcess(thread.status)
      ? { name: "Resume session", run: () => attempt(connection.request("session.resume", { thread_id })) }
      : { name: "Close session", run: () => attempt(connection.request("session.close", { thread_id })) },
    ...(isHere ? goOn : []),
    { name: "Event log", run: () => go({ page: "events", threadId: thread_id }) },
    ...(Object.keys(exportFormats) as ExportFormat[]).map((format) => ({
      name: `Export as ${exportFormats[format]}`,
      run: () => attempt(exportThread(connection, thread, format)),
    })),
    ...(isHere ? last : []),
  ];
}

/** Another mode, model or other option of the session. There may be hundreds, so only the palette has them. */
export function choiceActions(
  { connection }: Pick<Signalbox, "connection">,
  threadId: string,
  state: ThreadStateRow,
): readonly (ThreadAction & { readonly id: string })[] {
  return otherChoices(state).map(({ id, name, setting }) => ({
    id,
    name,
    run: () => attempt(choose(connection, threadId, setting)),
  }));
}

/** On a screen that has room for two threads. */
function besideActions(threadId: string): readonly ThreadAction[] {
  const here = currentRoute();
  if (!("threadId" in here) || !hasRoomForTwo()) return [];
  const beside = here.page === "thread" ? here.beside : undefined;
  if (here.threadId !== threadId && beside !== threadId)
    return [{ name: "Open beside", run: () => openSecondPane(threadId) }];
  if (beside === undefined) return [];
  return [
    { name: "Close here", run: () => closeThread(threadId) },
    { name: "Swap the two threads", run: swapThreads },
  ];
}

/** Deletes it when the time for Undo is over; `discard`: with what is not committed in its worktree. */
export function deleteThread(deletions: Signalbox["deletions"], { id, title }: ThreadRow, discard: boolean): void {
  losing.set(null);
  forgetThread(id);
  deletions.delete({ threadId: id, title: title ?? "Untitled", discard });
  const here = currentRoute();
  const next = withoutThread(here, id);
  if (next !== here) go(next);
}

/** The agent works, or waits for the person in the middle of its work. */
export function isAtWork(status: ThreadStatus): boolean {
  return status === "running" || status === "waiting";
}

/** The agent's process of this thread is not running. */
export function hasNoProcess(status: ThreadStatus): boolean {
  return status === "closed" || status === "interrupted" || status === "failed";
}

function attempt(work: Promise<unknown>): void {
  work.catch((error: unknown) => showNotice(messageOf(error)));
}

/** Empty when nothing would be lost. */
async function listFilesAtRisk(connection: Signalbox["connection"], threadId: string): Promise<readonly string[]> {
  try {
    await connection.request("session.delete", { thread_id: threadId, dry_run: true });
    return [];
  } catch (error) {
    const files = readRefusedFiles(error);
    if (files.length === 0) throw error;
    return files;
  }
}
