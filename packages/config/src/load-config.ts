// Reads config.json of the user, and of the project that a session works in.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { maxProjectRules } from "@signalbox/rules";
import { readPlainText } from "@signalbox/sandbox";
import { ConfigError, explainIssues } from "./config-error.ts";
import { type Config, type ConfigFile, configSchema } from "./config-schema.ts";
import { type MergedConfig, mergeConfig } from "./merge-config.ts";

/** A project's file may be a stranger's: a device without end, a disk full of spaces. */
const maxBytes = 1_000_000;

/** Signalbox's own folder. An empty variable counts as none: it would name the current folder. */
export function defaultDataFolder(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): string {
  return resolve(env.SIGNALBOX_HOME || join(home, ".signalbox"));
}

export interface UserConfig {
  /** Without any project. */
  readonly config: Config;
  /** With what the project in this folder adds and tightens, as its file is now. Throws a ConfigError when that is wrong. */
  inProject(folder: string): MergedConfig;
}

/** Throws a ConfigError when the file is wrong. A missing file is an empty one, unless the user named it (`required`). */
export function loadConfig(path: string, { required = false }: { readonly required?: boolean } = {}): UserConfig {
  const userFile = resolve(path);
  const user = readConfigFile(userFile, required);
  return {
    config: mergeConfig(user, {}).config,
    inProject(folder) {
      const projectFile = resolve(folder, ".signalbox/config.json");
      // In the home folder both are the same file, and that is the user's.
      return mergeConfig(user, projectFile === userFile ? {} : readProjectFile(projectFile));
    },
  };
}

function readProjectFile(path: string): ConfigFile {
  const file = readConfigFile(path, false);
  const count = file.permissions?.length ?? 0;
  if (count <= maxProjectRules) return file;
  // Skipping an invalid rule would weaken the policy, so this throws.
  throw new ConfigError([
    `${path}: "permissions" is wrong: ${count} rules, and a project has at most ${maxProjectRules}.`,
  ]);
}

function readConfigFile(path: string, required: boolean): ConfigFile {
  let text: string;
  try {
    text = readPlainText(path, maxBytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!required && (code === "ENOENT" || code === "ENOTDIR")) return {};
    throw new ConfigError([`${path} cannot be read: ${message}.`], { cause: error });
  }
  return parseConfig(text, path);
}

/** `path` is for the messages. Throws a ConfigError. */
export function parseConfig(text: string, path: string): ConfigFile {
  let value: unknown;
  try {
    // Some editors write a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new ConfigError([`${path} is not JSON: ${(error as Error).message}.`], { cause: error });
  }
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw explainIssues(path, parsed.error.issues);
}
