// Keeps a store small: removes content that no checkpoint needs, and forgets the oldest threads while the store is still too big.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { git } from "./git-process.ts";
import { threadRefs } from "./refs.ts";
import type { Store } from "./store.ts";

/** Of one folder, borrowed objects not counted. */
const maxBytes = 1024 * 1024 * 1024;
/** So many small files are packed into one. */
const maxLooseFiles = 2000;
const timeoutMs = 10 * 60_000;

/** Nothing else may write to the store in the meantime. */
export async function cleanStore(store: Store, most: number = maxBytes): Promise<void> {
  const { bytes, files } = measureFolder(join(store.path, "objects"));
  if (bytes <= most && files <= maxLooseFiles && !store.hasForgotten) return;
  await pack(store);
  while (measureFolder(join(store.path, "objects")).bytes > most) {
    const threads = await listThreadsByAge(store);
    // The last one stays, however big it is: it may be in use tomorrow.
    if (threads.length <= 1) return;
    for (const folder of threads.slice(0, Math.ceil(threads.length / 2))) store.forget(folder);
    await pack(store);
  }
}

async function pack(store: Store): Promise<void> {
  const call = { gitDir: store.path, timeoutMs };
  await git(["pack-refs", "--all"], call);
  await git(["repack", "-a", "-d", "-l", "-q"], call);
  await git(["prune", "--expire=now"], call);
  // They may name objects that are gone now; they are made again.
  rmSync(join(store.path, "indexes"), { recursive: true, force: true });
  store.hasForgotten = false;
}

/** The folders of refs of threads, the one that was used longest ago first. */
async function listThreadsByAge(store: Store): Promise<readonly string[]> {
  const format = "--format=%(refname)";
  const output = await git(["for-each-ref", "--sort=committerdate", format, threadRefs], { gitDir: store.path });
  const names = output.toString("utf8").trim().split("\n").filter(Boolean);
  const folders = names.map((name) =>
    name
      .split("/")
      .slice(0, threadRefs.split("/").length + 1)
      .join("/"),
  );
  // A folder's last place says when it was used last.
  return [...new Set(folders.toReversed())].toReversed();
}

function measureFolder(folder: string): { readonly bytes: number; readonly files: number } {
  let [bytes, files] = [0, 0];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    files++;
  }
  return { bytes, files };
}
