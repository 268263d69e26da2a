// Gives commands what threads changed on the disk: through the running host, or else from the data folder itself.
import { join, resolve } from "node:path";
import { CheckpointPool } from "@signalbox/checkpoints";
import type { RestoreRequest } from "@signalbox/checkpoints/restore-changes";
import type { ChangeDiffRow, ChangeRow, QueryArgs, RestoreResult, ThreadRow } from "@signalbox/protocol";
import { openRegister, RegisterError } from "@signalbox/tinyvex";
import { connectToHost } from "./client/find-host.ts";
import { unexpected } from "./client/host-client.ts";
import { findThread, openForReading } from "./client/open-for-reading.ts";
import { defaultDataFolder } from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";

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
  const client = await connectToHost(dataFolder);
  const folder = resolve(dataFolder ?? defaultDataFolder());
  const find = (wanted: string) => findThread(register, wanted);
  if (client !== null) {
    return {
      findThread: find,
      list: async (args) => (await client.query("changes.list", args)).rows,
      diff: async (args) => (await client.query("changes.diff", args)).rows,
      async restore({ id: thread_id }, request) {
        const answer = await client.request({ control: "changes.restore", thread_id, ...request });
        if (answer.type !== "tinyvex.ok" || answer.conflicts === undefined) throw unexpected(answer);
        const { turn_id = null, restored = [], files = [], conflicts } = answer;
        return { turn_id, restored, files, conflicts };
      },
      async close() {
        await client.close();
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
