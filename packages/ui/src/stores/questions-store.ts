// Every question that waits for an answer, in whatever thread: asked for again whenever a thread begins or stops to wait.
import type { PermissionRow } from "@signalbox/protocol";
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { Store } from "./store.ts";
import type { Threads } from "./threads-store.ts";

export type Questions = readonly PermissionRow[];

export function followQuestions(connection: Connection, threads: Store<Threads>): Store<Questions> {
  const store = new Store<Questions>([]);
  let waiting = "";
  const look = () => {
    const now = (threads.get() ?? [])
      .filter((thread) => thread.status === "waiting")
      .map((thread) => `${thread.id} ${thread.last_seq}`)
      .toSorted()
      .join("\n");
    if (now === waiting) return;
    waiting = now;
    if (now === "") {
      store.set([]);
      return;
    }
    queryPage<PermissionRow>(connection, "permissions.list").then(
      ({ rows }) => store.set(rows.filter((row) => row.status === "pending")),
      // Asked again with the next change of the list, which also comes when the line is back.
      () => (waiting = ""),
    );
  };
  threads.subscribe(look);
  return store;
}
