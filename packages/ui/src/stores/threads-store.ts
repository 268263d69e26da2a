// The list of threads, newest activity first, as the host pushes it.
import type { ThreadRow } from "@signalbox/protocol";
import type { Connection } from "../connection/connection.ts";
import { Store } from "./store.ts";

/** Null until the first snapshot came: not the same as an empty list. */
export type Threads = readonly ThreadRow[] | null;

export function followThreads(connection: Connection): Store<Threads> {
  const store = new Store<Threads>(null);
  connection.onMessage((message) => {
    if (message.type === "tinyvex.snapshot" && message.stream === "threads") {
      store.set(sorted(message.rows));
    } else if (message.type === "tinyvex.update" && message.stream === "threads") {
      const known = store.get() ?? [];
      if ("deleted" in message) store.set(known.filter((thread) => thread.id !== message.deleted));
      else store.set(sorted([...known.filter((thread) => thread.id !== message.row.id), message.row]));
    }
  });
  const subscribe = () => {
    if (connection.status !== "open") return;
    // A line that breaks meanwhile comes back and subscribes again.
    connection.request({ control: "tvx.subscribe", stream: "threads" }).catch(() => {});
  };
  connection.onStatus(subscribe);
  subscribe();
  return store;
}

function sorted(threads: readonly ThreadRow[]): readonly ThreadRow[] {
  return threads.toSorted((a, b) => b.updated_at - a.updated_at);
}
