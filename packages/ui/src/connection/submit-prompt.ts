// A prompt on its way to the host, with an id of its own, so that sending it twice runs it once: when the line breaks before the answer,
// it is sent again as soon as the line is back.
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
        prompt: prompt.map((block) => ({ ...block })),
      });
      return;
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== "offline") throw error;
      await connection.whenOpen();
    }
  }
}
