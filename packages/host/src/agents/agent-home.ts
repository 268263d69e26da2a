// Prepares the private home of an agent inside the sandbox: an empty folder at the path of the home folder, and in it the agent's state as a layer over
// the real one. Log-ins and older sessions show through it. What is written stays in the layer, so that no start outside obeys it.
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { type AgentPlaces, copyPlainFile, type StandIn } from "@signalbox/sandbox";
import type { AgentPlace, AgentSandbox, StateFolder } from "./registry.ts";

interface AgentHomeOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The private folder of this thread. Threads have one each: two overlays must not share an upper layer. */
  readonly folder: string;
  /** False where the machine cannot mount one: then the files that the row names are copied. */
  readonly canOverlay: boolean;
}

const homeFolder = "home";

/** The folder of all private homes in the data folder. */
export function listPrivateFolders(dataFolder: string): string {
  return join(dataFolder, "agent-homes");
}

export function findPrivateFolder(dataFolder: string, threadId: string): string {
  return join(listPrivateFolders(dataFolder), threadId);
}

/** Throws for a place that would open more than the agent's own. */
export function prepareAgentHome(row: AgentSandbox, options: AgentHomeOptions): Pick<AgentPlaces, "home" | "layers"> {
  const home = join(options.folder, homeFolder);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const name of row.homeFiles ?? []) copyNewer(join(homedir(), name), home, name);
  const layers = row.state.map((state) => {
    const path = findStatePath(state.place, options.env);
    return { path, standIn: prepareLayer(state, path, options) };
  });
  return { home, layers };
}

/** The name of a layer's folder. */
function nameLayer({ place }: StateFolder): string {
  return `${place.in}-${place.path.replaceAll("/", "-")}`;
}

function prepareLayer(state: StateFolder, path: string, { folder, canOverlay }: AgentHomeOptions): StandIn {
  const [upper = "", work = ""] = ["upper", "work"].map((name) => join(folder, nameLayer(state), name));
  for (const each of [upper, work]) mkdirSync(each, { recursive: true, mode: 0o700 });
  // A place outside the home folder has to exist to be mounted upon.
  if (!path.startsWith(`${homedir()}/`)) mkdirSync(path, { recursive: true, mode: 0o700 });
  const lower = existsSync(path) ? realpathSync(path) : undefined;
  for (const name of state.logIns ?? []) dropOlder(upper, name, join(path, name));
  if (lower !== undefined && canOverlay && !/[:,\\]/.test(lower)) return { type: "overlay", lower, upper, work };
  for (const name of state.seed ?? []) copyAll(join(path, name), upper, name);
  return { type: "folder", folder: upper };
}

const xdgFolders = {
  config: ["XDG_CONFIG_HOME", ".config"],
  data: ["XDG_DATA_HOME", ".local/share"],
  state: ["XDG_STATE_HOME", ".local/state"],
  cache: ["XDG_CACHE_HOME", ".cache"],
} as const;

/** Throws for a place that would open more than the agent's own. */
function findStatePath(place: AgentPlace, env: NodeJS.ProcessEnv): string {
  const home = homedir();
  const own = place.variable === undefined ? "" : (env[place.variable] ?? "");
  const path = own === "" ? join(findBase(place, env, home), place.path) : own;
  if (!isAbsolute(path)) throw new Error(`${place.variable} is no absolute path`);
  if (`${home}/`.startsWith(`${path.replace(/\/+$/, "")}/`)) throw new Error(`${path} holds your whole home folder`);
  return path;
}

function findBase(place: AgentPlace, env: NodeJS.ProcessEnv, home: string): string {
  if (place.in === "home") return home;
  const [variable, usual] = xdgFolders[place.in];
  const set = env[variable] ?? "";
  return isAbsolute(set) ? set : join(home, usual);
}

/**
 * A file in a folder that an agent has written. Undefined where a folder on the way is a link, which could lead anywhere, or no folder: then what is
 * done to the file would be done outside.
 */
function findOwnFile(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (path === folder) return undefined;
  const parent = dirname(path);
  const isReal = lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() ?? true;
  return isReal && (parent === folder || findOwnFile(folder, dirname(name)) !== undefined) ? path : undefined;
}

/** The person logged in again outside: the layer must not hide that. */
function dropOlder(layer: string, name: string, real: string): void {
  const copy = findOwnFile(layer, name);
  if (copy === undefined) return;
  const [own, other] = [lstatSync(copy, { throwIfNoEntry: false }), statSync(real, { throwIfNoEntry: false })];
  if (own !== undefined && other !== undefined && other.mtimeMs > own.mtimeMs) rmSync(copy, { recursive: true });
}

function copyAll(from: string, folder: string, name: string): void {
  const status = statSync(from, { throwIfNoEntry: false });
  if (status?.isFile() === true) copyNewer(from, folder, name);
  if (status?.isDirectory() === true)
    for (const each of readdirSync(from)) copyAll(join(from, each), folder, join(name, each));
}

/** Never through a link: what the agent made is there, too. */
function copyNewer(from: string, folder: string, name: string): void {
  const to = findOwnFile(folder, name);
  if (to === undefined) return;
  const [real, copy] = [statSync(from, { throwIfNoEntry: false }), lstatSync(to, { throwIfNoEntry: false })];
  if (real?.isFile() !== true || (copy !== undefined && copy.mtimeMs >= real.mtimeMs)) return;
  rmSync(to, { recursive: true, force: true });
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyPlainFile(from, to);
  utimesSync(to, real.atime, real.mtime);
}

/** A fork begins with the state of its parent, or its agent would not know the session. Where that fails, it is told of it instead. */
export async function copyPrivateFolder(dataFolder: string, from: string, to: string): Promise<void> {
  const [source, target] = [findPrivateFolder(dataFolder, from), findPrivateFolder(dataFolder, to)];
  if (!existsSync(source) || existsSync(target)) return;
  // Layers mark what was deleted with special files and attributes, which Node does not copy.
  await promisify(execFile)("cp", ["-a", "--reflink=auto", source, target]).catch(() => {});
}

/** Removes the private home of a thread that is deleted. */
export function removePrivateFolder(dataFolder: string, threadId: string): void {
  const folder = findPrivateFolder(dataFolder, threadId);
  const layers = existsSync(folder) ? readdirSync(folder).filter((name) => name !== homeFolder) : [];
  for (const name of layers) {
    // The kernel leaves a folder there without any permission. Agents cannot write there, as they can in the home: a link of theirs would lead outside.
    const left = join(folder, name, "work/work");
    if (existsSync(left)) chmodSync(left, 0o700);
  }
  rmSync(folder, { recursive: true, force: true });
}
