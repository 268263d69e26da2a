// Finds the repository of a linked git worktree. Anybody can write a `.git` file that names any repository; only one whose repository names the
// worktree too is believed.
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readPlainText } from "./read-plain-file.ts";

const maxBytes = 64 * 1024;

/** The real path of the repository (`.git` of the main work tree); null where `folder` is not the top of a linked worktree of it. */
export function repositoryOfWorktree(folder: string): string | null {
  try {
    const real = realpathSync(folder);
    const named = /^gitdir: (.+)\n?$/.exec(readPlainText(join(real, ".git"), maxBytes))?.[1];
    if (named === undefined) return null;
    const own = realpathSync(resolve(real, named));
    const repository = dirname(dirname(own));
    const read = (name: string) => resolve(own, readPlainText(join(own, name), maxBytes).replace(/\n$/, ""));
    const isInside = basename(dirname(own)) === "worktrees" && realpathSync(read("commondir")) === repository;
    const back = read("gitdir");
    return isInside && basename(back) === ".git" && realpathSync(dirname(back)) === real ? repository : null;
  } catch {
    return null; // something is missing, or cannot be read
  }
}
