// Goes on from before a prompt in a new thread, and opens it.
import type { MessageRow } from "@signalbox/protocol";
import type { Connection } from "@signalbox/react";
import { go } from "../hooks/use-route.ts";

/** Gives the id of the new thread. Throws what the host answers when there can be none. */
export async function forkBeforePrompt(
  connection: Connection,
  { thread_id, seq }: Pick<MessageRow, "thread_id" | "seq">,
  title?: string,
): Promise<string> {
  const created = await connection.request({
    control: "session.fork",
    thread_id,
    before_seq: seq,
    ...(title === undefined ? {} : { title }),
  });
  if (created.type !== "tinyvex.ok" || created.thread_id === undefined) throw new Error("Could not create the fork.");
  return created.thread_id;
}

export async function openForkBeforePrompt(
  connection: Connection,
  prompt: Pick<MessageRow, "thread_id" | "seq">,
): Promise<void> {
  go({ page: "thread", threadId: await forkBeforePrompt(connection, prompt) });
}
