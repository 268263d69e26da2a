// Every question that waits for an answer, in all threads. Loaded again whenever a thread starts or stops waiting.
import type { Connection } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { Store } from "./store.ts";
import type { Threads } from "./threads-store.ts";

interface WaitingQuestion {
  readonly id: string;
  readonly threadId: string;
}

export type Questions = readonly WaitingQuestion[];

export function followQuestions(connection: Connection, threads: Store<Threads>): Store<Questions> {
  const store = new Store<Questions>([]);
  let waiting = "";
  const update = () => {
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
        // Otherwise a newer request is under way.
        if (waiting === now) store.set(questions);
      },
      // The next change of the list loads them again; the list also changes after a reconnect.
      () => (waiting = ""),
    );
  };
  threads.subscribe(update);
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
