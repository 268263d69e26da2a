// Finds secrets in the register for commands, and takes them out: through the running host, or else in the data folder itself.
import { join, resolve } from "node:path";
import { defaultDataFolder, sharedFile } from "@signalbox/host/data";
import type { Redaction, SecretRow } from "@signalbox/protocol";
import { findThreadSecrets, openRegister, type RegisterReader, redactThreads } from "@signalbox/tinyvex";
import { connectToHost } from "../host/find-host.ts";

/** Of one thread, or of all, thread by thread. */
export async function* findSecrets(
  register: RegisterReader,
  threadId: string | undefined,
): AsyncGenerator<readonly SecretRow[]> {
  const ids = threadId === undefined ? (await register.logPositions()).map((thread) => thread.thread_id) : [threadId];
  for (const id of ids) yield await findThreadSecrets(register, id);
}

/** What was taken out, and whether a shared database still has it until a host runs again. */
export async function redactSecrets(
  dataFolder: string | undefined,
  threadId: string | undefined,
): Promise<Redaction & { readonly isShared: boolean }> {
  const host = await connectToHost(dataFolder);
  if (host !== null) {
    try {
      const { redacted, threads } = await host.request("data.redact", { thread_id: threadId });
      return { redacted, threads, isShared: false };
    } finally {
      await host.close();
    }
  }
  const folder = resolve(dataFolder ?? defaultDataFolder());
  const register = await openRegister({ path: join(folder, "signalbox.db") });
  try {
    const ids = threadId === undefined ? (await register.logPositions()).map((thread) => thread.thread_id) : [threadId];
    let isShared = false;
    const result = await redactThreads(register, ids, async (id, replace) => {
      // First: if this process ends in between, it is shipped again without need.
      const { markOutdated } = await import("@signalbox/many-machines/database");
      isShared = markOutdated(sharedFile(folder), [id]) || isShared;
      await replace();
    });
    return { ...result, isShared };
  } finally {
    await register.close();
  }
}
