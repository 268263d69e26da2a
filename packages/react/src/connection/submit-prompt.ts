// Sends a prompt. It has an id, so that sending it again after a reconnect runs it only once.
import type { ContentBlock } from "@signalbox/protocol";
import { type Connection, RequestError } from "./connection.ts";

/** `steers`: into the running turn, where the agent can. True when that happened; else it is queued, or runs now. */
export async function submitPrompt(
  connection: Connection,
  threadId: string,
  prompt: readonly ContentBlock[],
  steers = false,
): Promise<boolean> {
  const promptId = crypto.randomUUID();
  for (;;) {
    try {
      const answer = await connection.request({
        control: "run.submit",
        thread_id: threadId,
        prompt_id: promptId,
        prompt,
        ...(steers ? { steer: true } : {}),
      });
      return answer.type === "run.submitted" && answer.steered === true;
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== "offline") throw error;
      await connection.whenOpen();
    }
  }
}
