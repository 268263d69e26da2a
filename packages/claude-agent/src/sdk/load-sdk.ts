// Loads the Claude Agent SDK from Signalbox's own folder, and from nowhere else: Node would look for it in every `node_modules` above this
// code, where a command of an agent may put one. It is no dependency, because it brings the whole Claude Code program (280 MB).
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@signalbox/tool-calls";
import { ClaudeError } from "../errors/claude-error.ts";
import { findDataFolder } from "./data-folder.ts";
import type { ClaudeSdk } from "./sdk.ts";

export const sdkPackage = "@anthropic-ai/claude-agent-sdk";
/** The version that Signalbox is tested with. */
export const sdkVersion = "0.3.325";
/** SHA-256 of its one file that is loaded. test/agents/claude-sdk.test.ts compares it with the package. */
export const sdkHash = "030d9a1a7a629c2716d710f88292545951857612b2056b91affc5a0b073f65bf";

export interface LoadedSdk {
  readonly sdk: ClaudeSdk;
  /** The program of Claude Code. It is named to the SDK, which would look for it as Node does. */
  readonly program: string;
}

export function installCommand(env: NodeJS.ProcessEnv): string {
  return `npm install --prefix ${join(findDataFolder(env), "claude")} ${sdkPackage}@${sdkVersion}`;
}

/** Throws a `ClaudeError` with the command that installs it. */
export async function loadSdk(env: NodeJS.ProcessEnv, hash: string = sdkHash): Promise<LoadedSdk> {
  const modules = join(findDataFolder(env), "claude/node_modules");
  const file = join(modules, sdkPackage, "sdk.mjs");
  const program = findClaudeProgram(modules);
  if (!existsSync(file) || program === undefined) {
    throw missing(
      `The Claude Agent SDK is not installed. It brings Claude Code itself and is installed separately: ${installCommand(env)}`,
    );
  }
  const found = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (found !== hash) {
    throw missing(
      `The Claude Agent SDK in ${modules} is not version ${sdkVersion} as it was published (${file} has the SHA-256 ${found}). Install it again: ${installCommand(env)}`,
    );
  }
  try {
    return { sdk: (await import(pathToFileURL(file).href)) as ClaudeSdk, program };
  } catch (error) {
    throw missing(
      `The Claude Agent SDK in ${modules} cannot be loaded (${messageOf(error)}). Install it again: ${installCommand(env)}`,
    );
  }
}

function findClaudeProgram(modules: string): string | undefined {
  const { platform, arch } = process;
  // npm installs the one that fits this machine.
  return [`${platform}-${arch}`, `${platform}-${arch}-musl`]
    .map((build) => join(modules, `${sdkPackage}-${build}`, "claude"))
    .find((path) => existsSync(path));
}

function missing(message: string): ClaudeError {
  return new ClaudeError("sdk_missing", message);
}
