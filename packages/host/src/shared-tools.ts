// Prepares and checks the shared database for commands. PostgreSQL's client is loaded only where one is configured.
import { resolve } from "node:path";
import { chooseMachineName, type SharedSecrets } from "@signalbox/many-machines";
import type { SharedCheck } from "@signalbox/many-machines/database";
import { messageOf } from "@signalbox/protocol";
import { defaultDataFolder, sharedFile } from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";
import { readUserConfig } from "./data/user-config.ts";

/** Gives what was done, a sentence each. Throws a StartError that says why it cannot. */
export async function initSharedDatabase(
  dataFolder: string | undefined,
  secrets: SharedSecrets,
  options: {
    readonly role: string | undefined;
    readonly machines: readonly string[];
    readonly folders: readonly string[];
  },
): Promise<readonly string[]> {
  const url = findSharedAddress(dataFolder, secrets);
  const { initShared } = await import("@signalbox/many-machines/database");
  return await explained(() => initShared({ url, ...options }));
}

/** Removes what a machine that is gone has shared; with `days`, only threads that are older. Gives how many. Throws a StartError that says why it cannot. */
export async function removeSharedMachine(
  dataFolder: string | undefined,
  secrets: SharedSecrets,
  { machine, days }: { readonly machine: string; readonly days: number | undefined },
): Promise<number> {
  const url = findSharedAddress(dataFolder, secrets);
  const { removeMachine } = await import("@signalbox/many-machines/database");
  const before = days === undefined ? undefined : Date.now() - days * 24 * 60 * 60 * 1000;
  return await explained(() => removeMachine({ url, machine, before }));
}

function findSharedAddress(dataFolder: string | undefined, secrets: SharedSecrets): string {
  const url = secrets.url || readUserConfig(resolve(dataFolder ?? defaultDataFolder())).config.shared.url;
  if (url !== undefined) return url;
  throw new StartError(
    "No shared database is configured. Set SIGNALBOX_SHARED_URL to postgres://USER:PASSWORD@HOST/DATABASE.",
  );
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new StartError(`shared: ${messageOf(error)}`, { cause: error });
  }
}

/** Empty when no shared database is configured. */
export async function checkSharedDatabase(
  dataFolder: string | undefined,
  secrets: SharedSecrets,
): Promise<readonly SharedCheck[]> {
  const folder = resolve(dataFolder ?? defaultDataFolder());
  const { config } = readUserConfig(folder);
  const { control, ...shared } = config.shared;
  const url = secrets.url || shared.url;
  if (url === undefined) return [];
  const { checkShared, readOwner } = await import("@signalbox/many-machines/database");
  const owner = readOwner(sharedFile(folder));
  return await checkShared({ url, control, machine: chooseMachineName(config.shared), key: secrets.key, owner });
}
