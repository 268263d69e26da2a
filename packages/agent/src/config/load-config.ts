// Reads config.json of the user and of the project. An error names the file, the key, and what was expected.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { readPlainText } from "@signalbox/sandbox";
import type { z } from "zod";
import { type Merged, mergeConfig } from "./config.ts";
import { type ConfigFile, configSchema } from "./config-schema.ts";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Of a project. */
const largestFile = 1_000_000;

/** Signalbox's own folder. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.SIGNALBOX_HOME || join(homedir(), ".signalbox"));
}

export interface ConfigPlaces {
  readonly home: string;
  readonly cwd: string;
  /** In place of the user's own; then it must exist. */
  readonly file?: string;
}

export async function loadConfig({ home, cwd, file }: ConfigPlaces): Promise<Merged> {
  const own = file ?? join(home, "config.json");
  const theirs = join(cwd, ".signalbox/config.json");
  const [user, project] = await Promise.all([
    readConfigFile(own, { required: file !== undefined }, () => readFile(own, "utf8")),
    readConfigFile(theirs, { required: false }, () => readPlainText(theirs, largestFile)),
  ]);
  return mergeConfig(user, project);
}

async function readConfigFile(
  path: string,
  { required }: { required: boolean },
  read: () => Promise<string> | string,
): Promise<ConfigFile> {
  let text: string;
  try {
    text = await read();
  } catch (error) {
    const missing = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    if (missing && !required) return {};
    throw new ConfigError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseConfig(text, path);
}

export function parseConfig(text: string, path: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new ConfigError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const checked = configSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw new ConfigError(checked.error.issues.map((issue) => `${path}: ${explain(issue)}`).join("\n"));
}

function explain(issue: z.core.$ZodIssue): string {
  const key = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return `${key.replace(/^\./, "") || "the file"}: ${issue.message}`;
}
