import type { HostConnection } from "@signalbox/client";
import type { ServerMessage, ThreadRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { followThreads } from "./threads-store.ts";

const row = (id: string, last_seq: number, pinned: boolean) => ({ id, last_seq, pinned, updated_at: 0 }) as ThreadRow;

/** A connection that is never open, and what makes it receive a message. */
function closedConnection() {
  const listeners: ((message: ServerMessage) => void)[] = [];
  const connection = {
    onMessage: (listener: (message: ServerMessage) => void) => listeners.push(listener),
    onStatus: () => {},
    status: "closed",
  } as unknown as HostConnection;
  const receive = (message: object) => {
    for (const listener of listeners) listener(message as ServerMessage);
  };
  return { connection, receive };
}

it("keeps what the list was told of a thread while its snapshot was read, and takes a snapshot that is newer", () => {
  const { connection, receive } = closedConnection();
  const store = followThreads(connection);
  const open = (thread: ThreadRow) =>
    receive({ type: "tinyvex.snapshot", stream: "thread", thread_id: thread.id, thread });
  receive({ type: "tinyvex.snapshot", stream: "threads", rows: [row("a", 4, true)] });
  receive({ type: "tinyvex.update", stream: "threads", row: row("a", 5, false) });
  open(row("a", 4, true));
  expect(store.get()).toEqual([row("a", 5, false)]);
  open(row("a", 6, true));
  open(row("old", 1, false));
  expect(store.get()).toEqual([row("a", 6, true), row("old", 1, false)]);
});
