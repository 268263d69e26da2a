// Rebuilds every row from the log. Needs exclusive access to the register.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultDataFolder } from "@signalbox/host/data";
import { HostError } from "@signalbox/protocol";
import { openRegister, type RebuildProgress, RegisterError } from "@signalbox/tinyvex";

/** Gives the number of replayed events; null when this data folder has no register. */
export async function rebuildRegister(
  dataFolder: string | undefined,
  onProgress: (progress: RebuildProgress) => void,
): Promise<number | null> {
  const path = join(resolve(dataFolder ?? defaultDataFolder()), "signalbox.db");
  if (!existsSync(path)) return null;
  const register = await openRegister({ path }).catch((error: unknown) => {
    if (!(error instanceof RegisterError) || error.code !== "in_use") throw error;
    throw new HostError(
      "conflict",
      `Rebuilding needs the register for itself. ${error.message.replace(", or open the register read-only", "")}`,
      { cause: error },
    );
  });
  try {
    let events = 0;
    await register.rebuild((progress) => {
      events = progress.total;
      onProgress(progress);
    });
    return events;
  } finally {
    await register.close();
  }
}
