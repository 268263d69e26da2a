// Undoes what an older version of Signalbox did to repositories: `.git/config` was a link to `.git/signalbox/config`. The very file moves back, so its
// bytes and its mode stay. Only exactly that link is undone, and no link is followed: a sandboxed command may have written anything else.
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryOfWorktree } from "../files/linked-worktree.ts";
import { OpenFolder } from "./open-folder.ts";

const folderName = "signalbox";
const linkTarget = `${folderName}/config`;
/** How the file began that lay beside the settings. */
const readmeStart = "These are the settings of this repository. .git/config is a link to the file";

/** The same for the repository of a folder, at its top or as a linked work tree. Gives a line for the log where there was something to undo. */
export function restoreGitSettings(folder: string): readonly string[] {
  const repository = repositoryOfWorktree(folder) ?? join(folder, ".git");
  const path = join(repository, "config");
  return restorePlainSettings(path) ? [describeRestored(path)] : [];
}

export function describeRestored(path: string): string {
  return `${path} is a plain file again. An older version of Signalbox had made it a link to ${dirname(path)}/${linkTarget}.`;
}

/** True where the file at the path was such a link and is a plain file now. */
export function restorePlainSettings(path: string): boolean {
  try {
    if (lstatSync(join(dirname(path), folderName), { throwIfNoEntry: false }) === undefined) return false; // asked before each command
    using git = new OpenFolder(dirname(path));
    const isRestored = git.readLink("config") === linkTarget && moveBack(git);
    if (git.readStatus("config")?.isFile() === true) removeLeftovers(git);
    return isRestored;
  } catch {
    return false; // it is missing, in use, or not ours to change; or `.git` is a file that leads nowhere
  }
}

function moveBack(git: OpenFolder): boolean {
  using inner = git.openFolder(folderName);
  return inner.whileLocked("config.lock", () => {
    const settings = inner.readStatus("config");
    if (settings?.isFile() !== true || settings.nlink !== 1 || settings.uid !== git.status.uid) return false;
    inner.move("config", git, "config");
    return true;
  });
}

/** Only a folder that has our own text in it. What else lies there stays, and the folder with it. */
function removeLeftovers(git: OpenFolder): void {
  try {
    using inner = git.openFolder(folderName);
    if (inner.read("README")?.startsWith(readmeStart) !== true) return;
    if (inner.readStatus("config")?.isFile() === true) inner.removeFile("config"); // another program had put a plain file in the link's place
    inner.removeFile("README");
    git.removeFolder(folderName);
  } catch {}
}
