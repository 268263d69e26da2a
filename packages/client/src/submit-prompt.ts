// Sends a prompt. It has an id, so that sending it again after a reconnect runs it only once.
import type { ContentBlock } from "@signalbox/protocol";
import { type HostConnection, OfflineError } from "./host-connection.ts";

interface PromptOptions {
  /** Into the running turn, where the agent can. */
  readonly steers?: boolean;
  /** For this prompt only. */
  readonly model?: string | undefined;
}

/** True when it went into the running turn; else it is queued, or runs now. */
export async function submitPrompt(
  connection: HostConnection,
  threadId: string,
  prompt: readonly ContentBlock[],
  { steers = false, model }: PromptOptions = {},
): Promise<boolean> {
  const promptId = crypto.randomUUID();
  for (;;) {
    try {
      const { steered } = await connection.request("run.submit", {
        thread_id: threadId,
        prompt_id: promptId,
        prompt,
        ...(steers ? { steer: true } : {}),
        ...(model === undefined ? {} : { model }),
      });
      return steered === true;
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
      await connection.whenOpen();
    }
  }
}
