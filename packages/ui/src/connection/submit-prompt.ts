// Sends a prompt. It has an id, so that sending it again after a reconnect runs it only once.
import type { ContentBlock } from "@signalbox/protocol";
import { type Connection, RequestError } from "./connection.ts";

export async function submitPrompt(
  connection: Connection,
  threadId: string,
  prompt: readonly ContentBlock[],
): Promise<void> {
  const promptId = crypto.randomUUID();
  for (;;) {
    try {
      await connection.request({
        control: "run.submit",
        thread_id: threadId,
        prompt_id: promptId,
        prompt,
      });
      return;
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== "offline") throw error;
      await connection.whenOpen();
    }
  }
}
