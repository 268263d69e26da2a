// Finds Signalbox's own folder, in which the SDK is installed and long outputs are kept.
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export function findDataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.SIGNALBOX_HOME || join(homedir(), ".signalbox"));
}
