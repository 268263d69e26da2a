// Finds an agent's program: on the PATH, or in the usual folders of package managers. Never in the project's folder, which may not be
// trusted.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { executableFile, pathFolders, readPlainFile, readPlainText, usualFolders } from "@signalbox/sandbox";
import { defaultDataFolder } from "../data/data-folder.ts";
import type { AgentCommand, NeededPackage, ProgramOrigin } from "./registry.ts";

/** A program that can be started. */
export interface FoundProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The file itself, links followed. */
  readonly file: string;
}

/** The name of the program in the folder that Signalbox installs an agent to. */
export const installedProgramName = "program";

interface ProgramPlaces {
  /** Folders in the order of the search. */
  readonly folders: readonly string[];
  /** The Node that runs Signalbox. */
  readonly node: string;
}

/** The folders of the PATH, then those that Signalbox installs agents to, then the usual ones that are often missing from the PATH. */
export function listProgramPlaces(env: NodeJS.ProcessEnv, home: string = homedir()): ProgramPlaces {
  const agents = join(defaultDataFolder(env, home), "agents/node_modules/.bin");
  return { folders: [...new Set([...pathFolders(env), agents, ...usualFolders(home)])], node: process.execPath };
}

export function findProgram(agent: AgentCommand, places: ProgramPlaces): FoundProgram | null {
  const { command, args, program, needs, installFolder } = agent;
  if (needs !== undefined && !isPackageThere(needs)) return null;
  const elsewhere = command.includes(sep) ? [command] : places.folders.map((folder) => join(folder, command));
  // The one that the person had Signalbox install comes first, then one that they installed there with the command that Signalbox names.
  const own = [installedProgramName, join("node_modules/.bin", command)];
  const candidates =
    installFolder === undefined ? elsewhere : [...own.map((name) => join(installFolder, name)), ...elsewhere];
  for (const candidate of candidates) {
    const file = executableFile(candidate);
    if (file === null || (program !== undefined && !isFromPackage(program, file))) continue;
    const minimumNode = program?.minimumNode;
    const needsOurNode = minimumNode !== undefined || findInFolders("node", places) === null;
    if (needsOurNode && isNodeScript(file)) return { command: places.node, args: [file, ...args], file };
    return { command: candidate, args, file };
  }
  return null;
}

/** Checked each time: the package may be installed meanwhile. */
function isPackageThere({ npmPackage, folder }: NeededPackage): boolean {
  return existsSync(join(folder, "node_modules", npmPackage, "package.json"));
}

/** Programs that run others: their version is not the agent's. */
const interpreters = /^(?:node|nodejs|bun|bunx|deno|npx|python[\d.]*|uv|uvx|ruby|perl|java|bash|sh|env)$/;

const maxPackageBytes = 1024 * 1024;

/** The version of the package that contains the file; null when none does. Reads one small file, starts no process. */
export function readPackageVersion(file: string): string | null {
  if (interpreters.test(basename(file))) return null;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === "node_modules") return null;
    try {
      const value: unknown = JSON.parse(readPlainText(join(folder, "package.json"), maxPackageBytes));
      if (typeof value !== "object" || value === null || !("version" in value) || !("name" in value)) continue;
      // Outside node_modules the next package.json may belong to another program.
      if (!folder.endsWith(`${sep}node_modules${sep}${String(value.name)}`)) return null;
      return typeof value.version === "string" ? value.version : null;
    } catch {
      // No package in this folder; the parent is next.
    }
  }
  return null;
}

function findInFolders(name: string, { folders }: ProgramPlaces): string | null {
  for (const folder of folders) {
    const file = executableFile(join(folder, name));
    if (file !== null) return file;
  }
  return null;
}

/** A file in an npm package is the agent's only if it is of the agent's package. */
function isFromPackage(
  { npmPackage, platformPackage = npmPackage, onlyFromPackage = false }: ProgramOrigin,
  file: string,
): boolean {
  const modules = `${sep}node_modules${sep}`;
  // The binaries for each platform are often in packages of their own: NAME-linux-x64.
  if (file.includes(`${modules}${npmPackage}${sep}`) || file.includes(`${modules}${platformPackage}-`)) return true;
  if (file.includes(modules)) return false;
  // Some package managers write a small script that names the real file.
  const head = readBeginning(file);
  if (head.startsWith("#!") && head.includes("node_modules/")) return head.includes(`node_modules/${npmPackage}/`);
  return !onlyFromPackage;
}

function isNodeScript(file: string): boolean {
  return /^#!.*\bnode\b/.test(readBeginning(file));
}

function readBeginning(file: string): string {
  try {
    return readPlainFile(file, 4096).bytes.toString("latin1");
  } catch {
    return "";
  }
}
