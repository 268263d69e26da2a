// Finds and loads the Claude Agent SDK: from node_modules, or from the folder where people are told to install it. It is no dependency, because it
// brings the whole Claude Code program (280 MB).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@signalbox/tool-calls";
import { ClaudeError } from "../errors/claude-error.ts";
import type { ClaudeSdk } from "./sdk.ts";

export const sdkPackage = "@anthropic-ai/claude-agent-sdk";
/** The version that Signalbox is tested with. */
export const sdkVersion = "0.3.325";

export interface LoadedSdk {
  readonly sdk: ClaudeSdk;
  readonly version: string;
  readonly folder: string;
}

/** Where `installCommand` puts it. */
function sdkFolder(env: NodeJS.ProcessEnv): string {
  return join(env.SIGNALBOX_HOME || join(homedir(), ".signalbox"), "claude");
}

export function installCommand(env: NodeJS.ProcessEnv): string {
  return `npm install --prefix ${sdkFolder(env)} ${sdkPackage}@${sdkVersion}`;
}

/** The file of the SDK; null when it is nowhere. */
export function findSdk(env: NodeJS.ProcessEnv, here: string = import.meta.url): string | null {
  for (const from of [here, join(sdkFolder(env), "package.json")]) {
    try {
      return createRequire(from).resolve(sdkPackage);
    } catch {
      // Not here.
    }
  }
  return null;
}

export async function loadSdk(env: NodeJS.ProcessEnv, here?: string): Promise<LoadedSdk> {
  const file = findSdk(env, here);
  if (file === null) {
    throw new ClaudeError(
      "sdk_missing",
      `The Claude Agent SDK is not installed. It brings Claude Code itself and is installed separately: ${installCommand(env)}`,
    );
  }
  const folder = dirname(file);
  try {
    const sdk = (await import(pathToFileURL(file).href)) as ClaudeSdk;
    return { sdk, version: readVersion(folder), folder };
  } catch (error) {
    throw new ClaudeError(
      "sdk_missing",
      `The Claude Agent SDK in ${folder} cannot be loaded (${messageOf(error)}). Install it again: ${installCommand(env)}`,
    );
  }
}

function readVersion(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
  return typeof version === "string" ? version : "unknown";
}
