// The menu of a thread, in the list and in the thread's head.
import { messageOf, type ThreadRow, type ThreadStatus } from "@signalbox/protocol";
import { useState } from "react";
import type { Request } from "../../connection/connection.ts";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { go, routeOf } from "../../hooks/use-route.ts";
import { useStore } from "../../hooks/use-store.ts";
import { handingOver } from "../../stores/handing-over.ts";
import { showNotice } from "../../stores/notices.ts";
import { renaming } from "../../stores/renaming.ts";
import { Icon } from "../shared/icon.tsx";
import { Menu } from "../shared/menu.tsx";
import { type ExportFormat, exportFormats, exportThread } from "./export-thread.ts";
import { filesLostWith, LossDialog } from "./loss-dialog.tsx";
import { machineElsewhere } from "./machine-label.ts";

export function ThreadMenu({ thread, isTabStop = true }: { thread: ThreadRow; isTabStop?: boolean }) {
  const { connection, deletions, machine } = useSignalbox();
  const elsewhere = machineElsewhere(thread, useStore(machine).machines);
  const thread_id = thread.id;
  const title = thread.title ?? "Untitled";
  const send = (request: Request) => attempt(connection.request(request));
  const [lost, setLost] = useState<readonly string[] | null>(null);
  const removeNow = (discard: boolean) => {
    setLost(null);
    deletions.delete({ threadId: thread_id, title, discard });
    const here = routeOf(location.hash);
    if ("threadId" in here && here.threadId === thread_id) go({ page: "start" });
  };
  const remove = async () => {
    const files = thread.git?.worktree === undefined ? [] : await filesLostWith(connection, thread_id);
    if (files.length === 0) removeNow(false);
    else setLost(files);
  };
  const rename = () => {
    go({ page: "thread", threadId: thread_id });
    renaming.set(thread_id);
  };
  const handOver = () => {
    go({ page: "thread", threadId: thread_id });
    handingOver.set(thread_id);
  };
  const fork = async () => {
    const answer = await connection.request({ control: "session.fork", thread_id });
    if (answer.type === "tinyvex.ok" && answer.thread_id !== undefined) {
      go({ page: "thread", threadId: answer.thread_id });
    }
  };
  return (
    <>
      <Menu label={`More for ${title}`} icon={<Icon name="more" />} isTabStop={isTabStop}>
        {elsewhere === null && <Item name="Rename" onChoose={rename} />}
        {hasNoProcess(thread.status) ? (
          <Item name="Resume session" onChoose={() => send({ control: "session.resume", thread_id })} />
        ) : (
          <Item name="Close session" onChoose={() => send({ control: "session.close", thread_id })} />
        )}
        {elsewhere === null && <Item name="Hand over …" onChoose={handOver} />}
        {elsewhere === null && <Item name="Fork" onChoose={() => attempt(fork())} />}
        <Item name="Event log" onChoose={() => go({ page: "events", threadId: thread_id })} />
        {(Object.keys(exportFormats) as ExportFormat[]).map((format) => (
          <Item
            key={format}
            name={`Export as ${exportFormats[format]}`}
            onChoose={() => attempt(exportThread(connection, thread, format))}
          />
        ))}
        {elsewhere === null ? (
          <>
            <Item
              name={thread.archived ? "Unarchive" : "Archive"}
              onChoose={() =>
                send({ control: "tvx.update_thread", thread_id, updates: { archived: !thread.archived } })
              }
            />
            <Item name="Delete" isDangerous onChoose={() => attempt(remove())} />
          </>
        ) : (
          <OnlyThere machine={elsewhere} />
        )}
      </Menu>
      {lost !== null && (
        <LossDialog thread={thread} files={lost} onDelete={() => removeNow(true)} onClose={() => setLost(null)} />
      )}
    </>
  );
}

/** What is left out of the menu, and where it is. */
function OnlyThere({ machine }: { machine: string }) {
  return (
    <p className="only-there" role="presentation">
      Rename, fork, archive and delete it on {machine}.
    </p>
  );
}

function attempt(work: Promise<unknown>): void {
  work.catch((error: unknown) => showNotice(messageOf(error)));
}

/** The agent's process of this thread is not running. */
export function hasNoProcess(status: ThreadStatus): boolean {
  return status === "closed" || status === "interrupted" || status === "failed";
}

function Item({ name, isDangerous = false, onChoose }: { name: string; isDangerous?: boolean; onChoose: () => void }) {
  return (
    <button type="button" role="menuitem" className={isDangerous ? "no" : undefined} onClick={onChoose}>
      {name}
    </button>
  );
}
