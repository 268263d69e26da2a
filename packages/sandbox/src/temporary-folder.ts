// Makes temporary folders that do not stay behind: they are removed when the process ends, and those of a killed process by the next one.
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Folders that go when we do. */
const made = new Set<string>();
process.once("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** Where folders that killed processes left behind were looked for. */
const cleaned = new Set<string>();

/** Folders of this prefix that are older than `maxAgeMs` are not used any more. */
export function makeTemporaryFolder(parent: string, prefix: string, maxAgeMs: number): string {
  const key = join(parent, prefix);
  if (!cleaned.has(key)) removeOld(parent, prefix, maxAgeMs);
  cleaned.add(key);
  const folder = mkdtempSync(key);
  made.add(folder);
  return folder;
}

/** Removes one before the process ends. */
export function removeTemporaryFolder(folder: string): void {
  made.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Only our user's own folders: those of others cannot be removed, and a link is not followed. */
function removeOld(parent: string, prefix: string, maxAgeMs: number): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    const path = join(parent, name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    const isFolderOfUser = status?.isDirectory() === true && status.uid === process.getuid?.();
    if (isFolderOfUser && status.mtimeMs < Date.now() - maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
