// Every question that waits for an answer, in whatever thread: permissions, and what agents want to know. Asked for again whenever a thread
// begins or stops to wait.
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { Store } from "./store.ts";
import type { Threads } from "./threads-store.ts";

export interface WaitingQuestion {
  readonly id: string;
  readonly threadId: string;
}

export type Questions = readonly WaitingQuestion[];

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
    pendingOf(connection).then(
      (questions) => {
        // A newer look is on its way.
        if (waiting === now) store.set(questions);
      },
      // Asked again with the next change of the list, which also comes when the line is back.
      () => (waiting = ""),
    );
  };
  threads.subscribe(look);
  return store;
}

async function pendingOf(connection: Connection): Promise<Questions> {
  const [permissions, elicitations] = await Promise.all([
    queryPage(connection, "permissions.list", {}),
    queryPage(connection, "elicitations.list", {}),
  ]);
  return [
    ...permissions.rows
      .filter((row) => row.status === "pending")
      .map((row) => ({ id: row.permission_id, threadId: row.thread_id })),
    ...elicitations.rows.map((row) => ({ id: row.elicitation_id, threadId: row.thread_id })),
  ];
}
