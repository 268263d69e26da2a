// Goes on from before a prompt in a new thread, and opens it.
import type { MessageRow } from "@signalbox/protocol";
import type { HostConnection } from "@signalbox/react";
import { goWhenReady } from "../stores/person-activity.ts";

/** Gives the id of the new thread. Throws what the host answers when there can be none. */
export async function forkBeforePrompt(
  connection: HostConnection,
  { thread_id, seq }: Pick<MessageRow, "thread_id" | "seq">,
  title?: string,
): Promise<string> {
  const forked = await connection.request("session.fork", {
    thread_id,
    before_seq: seq,
    ...(title === undefined ? {} : { title }),
  });
  return forked.thread_id;
}

export async function openForkBeforePrompt(
  connection: HostConnection,
  prompt: Pick<MessageRow, "thread_id" | "seq">,
): Promise<void> {
  const openThread = goWhenReady();
  const threadId = await forkBeforePrompt(connection, prompt);
  openThread({ page: "thread", threadId }, "The new thread is ready. It is in the list.");
}
