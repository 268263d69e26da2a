// The list of threads, latest activity first, as the host pushes it.

import { askWhenOpen, type HostConnection } from "@signalbox/client";
import type { QueryArgs, ThreadRow } from "@signalbox/protocol";
import { Store } from "./store.ts";

/** Null until the first snapshot, which is not the same as an empty list. */
export type Threads = readonly ThreadRow[] | null;

export function followThreads(connection: HostConnection): Store<Threads> {
  const store = new Store<Threads>(null);
  connection.onMessage((message) => {
    if (message.type === "tinyvex.snapshot" && message.stream === "threads") {
      store.set(sorted(message.rows));
    } else if (message.type === "tinyvex.update" && message.stream === "threads") {
      const known = store.get() ?? [];
      if ("deleted" in message) store.set(known.filter((thread) => thread.id !== message.deleted));
      else store.set(sorted([...known.filter((thread) => thread.id !== message.row.id), message.row]));
    } else if (message.type === "tinyvex.snapshot") {
      // The open thread is in the list, however old it is.
      const known = store.get();
      if (known !== null) store.set(withSnapshot(known, message.thread));
    }
  });
  // After a reconnect it subscribes again.
  askWhenOpen(
    connection,
    async () => {
      await connection.request("tvx.subscribe", { stream: "threads" });
      // The snapshot has only the latest threads, and a question may wait in an older one. Pinned ones are on top of the list, however old they are.
      const wanted = [{ status: "waiting" }, { status: "waiting", archived: true }, { pinned: true }];
      await Promise.all(wanted.map((each) => loadMoreThreads(connection, store, { ...each, limit: 1000 })));
    },
    () => {},
  );
  return store;
}

/** Adds a page of threads to the list: older, archived or waiting ones. Gives where the next page begins; null after the last. */
export async function loadMoreThreads(
  connection: HostConnection,
  store: Store<Threads>,
  wanted: QueryArgs<"threads.list">,
): Promise<string | null> {
  const { rows, next_cursor = null } = await connection.query("threads.list", wanted);
  const known = store.get() ?? [];
  const here = new Set(known.map((thread) => thread.id));
  store.set(sorted([...known, ...rows.filter((thread) => !here.has(thread.id))]));
  return next_cursor;
}

/** A snapshot is read while changes of the list go on: what the list was told meanwhile is newer. */
function withSnapshot(known: readonly ThreadRow[], read: ThreadRow): readonly ThreadRow[] {
  const current = known.find(({ id }) => id === read.id);
  if (current !== undefined && current.last_seq > read.last_seq) return known;
  return sorted([...known.filter((thread) => thread !== current), read]);
}

function sorted(threads: readonly ThreadRow[]): readonly ThreadRow[] {
  return threads.toSorted((a, b) => b.updated_at - a.updated_at);
}
