// Takes secrets out of threads while the host runs: out of the register, the shared database, and what screens show.
import type { Redaction } from "@signalbox/protocol";
import { redactThreads } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import type { HostServices } from "./host-services.ts";

/** Without a thread, of all of this machine's. Throws `conflict` where a turn runs, before anything is changed. */
export async function redactData(
  threadId: string | undefined,
  { register, fanOut, machines, replaceLog }: Pick<HostServices, "register" | "fanOut" | "machines" | "replaceLog">,
): Promise<Redaction> {
  const ids = threadId === undefined ? (await register.logPositions()).map((thread) => thread.thread_id) : [threadId];
  for (const id of ids) {
    const thread = await register.getThread(id);
    if (thread === null) throw new HostError("not_found", `There is no thread ${id}.`);
    if (thread.status === "running" || thread.status === "waiting" || thread.starting)
      throw new HostError("conflict", `The agent of thread ${id} is at work. Stop it first, and try again.`);
  }
  return await redactThreads(register, ids, async (id, replace) => {
    await replaceLog(id, replace);
    fanOut.startOver(id);
    const row = await register.getThread(id);
    if (row === null) return;
    const changes = [{ type: "tinyvex.update", stream: "threads", row }] as const;
    fanOut.publish(machines?.markOwnChanges(changes) ?? changes);
  });
}
