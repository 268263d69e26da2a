// Keeps a repository's settings in a folder that no command can write: `.git/config` is then a link to `.git/signalbox/config`. Git follows a link
// when it locks and renames, so what a person sets outside never lies where a command could write it, and takes no guard away.
import { dirname } from "node:path";
import { settingsFolder } from "../policy/obeyed-files.ts";
import { OpenFolder } from "./open-folder.ts";

const linkTarget = `${settingsFolder}/config`;

/** Beside them, for a person who finds the folder. */
const readme = `These are the settings of this repository. .git/config is a link to the file "config" here, so that commands which Signalbox runs for an agent
cannot change them in secret. Git uses and changes them as always. Do not delete this folder: the remotes of the repository are in it.
To have a plain file again, until the next command, when nothing runs: mv .git/${linkTarget} .git/config
`;

export interface Settings {
  readonly text: string;
  /** They are where no command can write them: only programs outside can have written this text. */
  readonly isLinked: boolean;
}

/** Undefined where they cannot be read: no plain file, too big, a link that is not ours. */
export function readSettings(path: string): Settings | undefined {
  const isLinked = isLink(path);
  const text = inSettingsFolder(path, isLinked, (folder) => folder.read("config"));
  return text === undefined ? undefined : { text, isLinked };
}

/** The text behind the link, also where something else is in the link's place now. */
export function readLinked(path: string): string | undefined {
  return inSettingsFolder(path, true, (folder) => folder.read("config"));
}

/**
 * Changes them in their place, under the name with which git itself locks them. False, and nothing is changed, where they are not `before`;
 * undefined where they are locked or cannot be written.
 */
export function changeSettings(path: string, before: string, after: string): boolean | undefined {
  return inSettingsFolder(path, isLink(path), (folder) => folder.change("config", before, after, lockName));
}

/**
 * Makes `.git/config` a link, where it is a plain file and this changes nothing for git. Otherwise everything stays as it is. To be called
 * while no command runs that may change settings.
 */
export function linkSettings(path: string): void {
  if (isLink(path)) return;
  OpenFolder.within(dirname(path), (git) => {
    if (git.status.uid !== process.getuid?.()) return; // the owner must be able to write what we make
    git.whileLocked(lockName, () => {
      const status = git.statusOf("config");
      const text = status?.isFile() === true && status.nlink === 1 ? git.read("config") : undefined;
      // Such a path is relative to the file behind the link.
      if (status === undefined || text === undefined || /gitdir(?:\/i)?:\.\//i.test(text)) return;
      const inner = git.makeFolder(settingsFolder);
      try {
        inner.replace("README", readme, { mode: status.mode & 0o777 });
        inner.replace("config", text, { mode: status.mode & 0o777, isLasting: true });
      } finally {
        inner.close();
      }
      git.replaceByLink("config", linkTarget);
    });
  });
}

/** Puts the link in the place of what is there. False where that fails. */
export function linkAgain(path: string): boolean {
  return (
    OpenFolder.within(dirname(path), (git) => {
      git.replaceByLink("config", linkTarget);
      return true;
    }) ?? false
  );
}

/** Makes `.git/config` a plain file again, for a sandbox that cannot guard a link. */
export function unlinkSettings(path: string): void {
  if (!isLink(path)) return;
  inSettingsFolder(path, true, (inner) =>
    inner.whileLocked(lockName, () => {
      const [text, mode] = [inner.read("config"), inner.statusOf("config")?.mode ?? 0o600];
      if (text === undefined) return;
      OpenFolder.within(dirname(path), (git) => git.replace("config", text, { mode: mode & 0o777, isLasting: true }));
    }),
  );
}

const lockName = "config.lock";

/** Whether it is our link. Any other is not followed. */
export function isLink(path: string): boolean {
  return OpenFolder.within(dirname(path), (git) => git.linkAt("config")) === linkTarget;
}

/** With the folder in which the settings are. */
function inSettingsFolder<Result>(
  path: string,
  isLinked: boolean,
  act: (folder: OpenFolder) => Result,
): Result | undefined {
  return OpenFolder.within(dirname(path), (git) => {
    if (!isLinked) return act(git);
    const inner = git.folder(settingsFolder);
    try {
      return act(inner);
    } finally {
      inner.close();
    }
  });
}
