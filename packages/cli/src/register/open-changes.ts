// Gives commands what threads changed on the disk: through the running host, or else from the data folder itself.
import { join, resolve } from "node:path";
import { CheckpointPool } from "@signalbox/checkpoints";
import type { RestoreRequest } from "@signalbox/checkpoints/restore-changes";
import { defaultDataFolder, StartError } from "@signalbox/host/data";
import type { ChangeDiffRow, ChangeRow, QueryArgs, RestoreResult, ThreadRow } from "@signalbox/protocol";
import { openRegister, RegisterError } from "@signalbox/tinyvex";
import { connectToHost } from "../host/find-host.ts";
import { findThread, openForReading } from "./open-for-reading.ts";

interface ChangesAccess {
  /** An id, the beginning of one, or `last`. */
  findThread(wanted: string): Promise<ThreadRow>;
  list(args: QueryArgs<"changes.list">): Promise<readonly ChangeRow[]>;
  diff(args: QueryArgs<"changes.diff">): Promise<readonly ChangeDiffRow[]>;
  restore(thread: ThreadRow, request: RestoreRequest): Promise<RestoreResult>;
  close(): Promise<void>;
}

/** Null when this data folder has no register. */
export async function openChanges(dataFolder: string | undefined): Promise<ChangesAccess | null> {
  const register = await openForReading(dataFolder);
  if (register === null) return null;
  const host = await connectToHost(dataFolder);
  const folder = resolve(dataFolder ?? defaultDataFolder());
  const find = (wanted: string) => findThread(register, wanted);
  if (host !== null) {
    return {
      findThread: find,
      list: async (args) => (await host.query("changes.list", args)).rows,
      diff: async (args) => (await host.query("changes.diff", args)).rows,
      restore: ({ id: thread_id }, request) => host.request("changes.restore", { thread_id, ...request }),
      async close() {
        await host.close();
        await register.close();
      },
    };
  }
  const checkpoints = new CheckpointPool(folder);
  // Loaded only here: a host that starts does not need to compare texts.
  const { diffChange, listChanges } = await import("@signalbox/checkpoints/list-changes");
  return {
    findThread: find,
    list: (args) => listChanges({ register, checkpoints }, args),
    diff: (args) => diffChange({ register, checkpoints }, args),
    async restore(thread, request) {
      const { restoreChanges } = await import("@signalbox/checkpoints/restore-changes");
      const writer = await openWriter(join(folder, "signalbox.db"));
      try {
        return await restoreChanges({ register: writer, checkpoints }, thread, request);
      } finally {
        await writer.close();
      }
    },
    async close() {
      checkpoints.close();
      await register.close();
    },
  };
}

async function openWriter(path: string) {
  try {
    return await openRegister({ path });
  } catch (error) {
    throw error instanceof RegisterError ? new StartError(error.message, { cause: error }) : error;
  }
}
