// Checks the folder that an agent is to work in.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { HostError } from "../data/host-error.ts";

/** Throws a HostError unless `cwd` is the absolute path of an existing folder. */
export function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd)) throw new HostError("bad_request", `The folder must be an absolute path; ${cwd} is not.`);
  if (cwd.includes("\0")) throw new HostError("bad_request", "The folder's name has a zero byte, which no folder has.");
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (stats === undefined) throw new HostError("not_found", `The folder ${cwd} does not exist.`);
  if (!stats.isDirectory()) throw new HostError("bad_request", `${cwd} is a file, not a folder.`);
}
