// Archives the threads of a folder in which nothing runs, waits or is pinned, loaded or not.

import type { MachineRow, QueryPage, ThreadRow } from "@signalbox/protocol";
import type { HostConnection } from "@signalbox/react";
import { machineElsewhere } from "./machine-label.ts";
import { chooseFolder } from "./thread-sections.ts";

const pageSize = 1000;
const maxRequests = 20;

/** Gives the ids of those that it archived. */
export async function archiveFinished(
  connection: HostConnection,
  folder: string,
  loaded: readonly ThreadRow[],
  machines: readonly MachineRow[],
): Promise<readonly string[]> {
  const found = new Map(
    loaded.filter((thread) => chooseFolder(thread) === folder).map((thread) => [thread.id, thread]),
  );
  let cursor: string | undefined;
  do {
    const page: QueryPage<"threads.list"> = await connection.query("threads.list", {
      cwd: folder,
      limit: pageSize,
      cursor,
    });
    for (const row of page.rows) found.set(row.id, row);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const finished = [...found.values()].filter(
    (thread) => isFinished(thread) && !thread.pinned && !thread.archived && machineElsewhere(thread, machines) === null,
  );
  const ids = finished.map(({ id }) => id);
  await setArchived(connection, ids, true);
  return ids;
}

export async function setArchived(
  connection: HostConnection,
  ids: readonly string[],
  archived: boolean,
): Promise<void> {
  for (let start = 0; start < ids.length; start += maxRequests) {
    const some = ids.slice(start, start + maxRequests);
    await Promise.all(
      some.map((thread_id) => connection.request("tvx.update_thread", { thread_id, updates: { archived } })),
    );
  }
}

function isFinished({ status, starting, waiting }: ThreadRow): boolean {
  return status !== "running" && status !== "waiting" && !starting && waiting === 0;
}
