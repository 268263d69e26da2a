// Finds the git repository of a folder and what it ignores. Only asks; nothing in it is changed.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { isWithin } from "@signalbox/rules";
import { readPlainText, repositoryOfWorktree } from "@signalbox/sandbox";
import { GitError, git } from "./git-process.ts";
import type { ObjectFormat } from "./store.ts";

export interface Repository {
  /** The folder that is looked at: the top of the repository, one below it, or one without a repository. */
  readonly folder: string;
  /** The top of the work tree; the folder itself where there is no repository. */
  readonly top: string;
  /** Null where there is no repository. */
  readonly user: UserRepository | null;
}

interface UserRepository {
  readonly gitDir: string;
  /** The git folder that all work trees of the repository share. */
  readonly commonDir: string;
  readonly objects: string;
  readonly format: ObjectFormat;
}

const maxIgnoreBytes = 1024 * 1024;
/** Ignored in a folder without a repository, because none of it is a person's work. */
const usuallyIgnored = ["node_modules/", ".venv/", "__pycache__/", ".DS_Store"];

export async function findRepository(folder: string, home: string = homedir()): Promise<Repository> {
  const none = { folder, top: folder, user: null };
  if (!hasRepositoryAbove(folder)) return none;
  let output: Buffer;
  try {
    const shared = ["--git-common-dir", "--git-path", "objects"];
    const asked = ["--absolute-git-dir", ...shared, "--show-toplevel", "--show-object-format"];
    output = await git(["rev-parse", ...asked], { cwd: folder });
  } catch (error) {
    if (error instanceof GitError) return none;
    throw error;
  }
  const lines = output.toString("utf8").trimEnd().split("\n");
  const [gitDir, common, objects, top, format] = lines;
  // A path with a newline in it is not worth the trouble: the folder is then kept as one without a repository.
  if (lines.length !== 5 || gitDir === undefined || common === undefined) return none;
  if (objects === undefined || top === undefined) return none;
  const real = realpathSync(folder);
  // The config of a repository can name any other folder as its work tree.
  if (!isWithin(real, top) || isHomeOrAbove(top, home)) return none;
  return {
    folder: real,
    top,
    user: {
      gitDir,
      commonDir: resolve(folder, common),
      objects: realpathSync(resolve(folder, objects)),
      format: format === "sha256" ? "sha256" : "sha1",
    },
  };
}

/** Such a folder holds everything that a person has. */
export function isHomeOrAbove(folder: string, home: string = homedir()): boolean {
  return [home, existsSync(home) ? realpathSync(home) : home].some((each) => isWithin(each, folder));
}

/** Writes one file with all ignore rules that are not in the project's own .gitignore files, and gives its path. */
export async function writeIgnoreFile(repository: Repository, store: string, dataFolder: string): Promise<string> {
  const { folder, top, user } = repository;
  const { excludesFile } = await readUserSettings(repository);
  const xdg = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const own = relative(realpathIfThere(top), realpathIfThere(dataFolder));
  const lines = [
    readIfThere(excludesFile ?? join(xdg, "git/ignore")),
    user === null ? usuallyIgnored.join("\n") : readIfThere(join(user.commonDir, "info/exclude")),
    own === "" || own.startsWith("..") ? "" : `/${own.replaceAll(/[*?[\]\\!#]/g, "\\$&")}/`,
  ];
  const file = join(store, "ignored", fingerprint(folder));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Whether files of the work tree may differ from what git stores for them: line ends, large files kept elsewhere. */
export async function mayConvert(repository: Repository): Promise<boolean> {
  const { user } = repository;
  if (user === null) return false;
  const settings = await readUserSettings(repository);
  const xdg = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const attributes = settings.attributesFile ?? join(xdg, "git/attributes");
  if (existsSync(attributes) || existsSync(join(user.commonDir, "info/attributes"))) return true;
  return settings.autocrlf !== undefined && settings.autocrlf !== "false";
}

/** Whether the objects really lie in this repository, so that its index names nothing that lies elsewhere. */
export function hasOwnObjects({ top, user }: Repository): boolean {
  if (user === null) return false;
  const whole = user.gitDir === join(top, ".git") ? user.gitDir : repositoryOfWorktree(top);
  if (whole === null || user.objects !== join(realpathSync(whole), "objects")) return false;
  const parts = [whole, join(whole, "objects"), join(whole, "objects/pack")];
  const areFolders = parts.every((part) => lstatSync(part, { throwIfNoEntry: false })?.isDirectory() === true);
  return areFolders && !existsSync(join(whole, "objects/info/alternates"));
}

export function fingerprint(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 32);
}

interface UserSettings {
  readonly excludesFile: string | undefined;
  readonly attributesFile: string | undefined;
  readonly autocrlf: string | undefined;
}

/** Those of folders without a repository, which are the same everywhere. */
let generalSettings: Promise<UserSettings> | null = null;

function readUserSettings({ folder, user }: Repository): Promise<UserSettings> {
  if (user !== null) return readSettings(folder);
  generalSettings ??= readSettings("/");
  return generalSettings;
}

/** The user's settings for this folder, as git itself would find them. */
async function readSettings(folder: string): Promise<UserSettings> {
  const names = "^core\\.(excludesfile|attributesfile|autocrlf)$";
  const args = ["config", "--null", "--type=path", "--get-regexp", names];
  const output = await git(args, {
    cwd: folder,
    codes: [0, 1, 128],
    settings: { withUserConfig: true, without: ["core.autocrlf"] },
  });
  const found = new Map(
    output
      .toString("utf8")
      .split("\0")
      .map((entry) => [entry.slice(0, entry.indexOf("\n")), entry.slice(entry.indexOf("\n") + 1)]),
  );
  return {
    excludesFile: found.get("core.excludesfile"),
    attributesFile: found.get("core.attributesfile"),
    autocrlf: found.get("core.autocrlf"),
  };
}

/** Git itself says more; where there is none, it need not be asked. */
function hasRepositoryAbove(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && hasRepositoryAbove(parent);
}

function readIfThere(file: string): string {
  try {
    return readPlainText(file, maxIgnoreBytes);
  } catch {
    return "";
  }
}

function realpathIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
