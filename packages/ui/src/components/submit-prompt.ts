// A prompt on its way to the host, with an id of its own, so that sending it twice runs it once.
import type { Connection } from "../connection/connection.ts";

export async function submitPrompt(connection: Connection, threadId: string, text: string): Promise<void> {
  await connection.request({
    control: "run.submit",
    thread_id: threadId,
    prompt_id: crypto.randomUUID(),
    prompt: [{ type: "text", text }],
  });
}
