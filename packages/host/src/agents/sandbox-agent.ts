// Decides whether an agent is sandboxed, and prepares that: its own folders exist, its settings are there to be made read-only, and its
// environment and arguments turn off what cannot work in a sandbox.
import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { messageOf } from "@signalbox/protocol";
import {
  type AgentEnforcement,
  type AgentPlaces,
  canSandboxAgents,
  copyPlainFile,
  describeEnforcement,
  type Enforcement,
  readPlainText,
} from "@signalbox/sandbox";
import type { AgentDefinition, AgentPlace, AgentSandbox, StateFolder } from "./registry.ts";

/** Where an agent runs. `why` is a sentence for a person, where it is not simply the agent's usual way. */
export type AgentPlacement =
  | {
      readonly type: "sandboxed";
      readonly enforcement: AgentEnforcement;
      /** As it is started, with what its row adds for the sandbox. */
      readonly definition: AgentDefinition;
      readonly places: AgentPlaces;
      readonly hosts: readonly string[];
    }
  | { readonly type: "unsandboxed"; readonly why?: string };

interface AgentSandboxOptions {
  readonly definition: AgentDefinition;
  /** The choice of the thread or of the config; without one, the agent's row decides. */
  readonly wanted: boolean | undefined;
  readonly enforcement: Enforcement;
  readonly env: NodeJS.ProcessEnv;
}

/** Makes folders and files of the agent that are missing. Never throws: an agent that cannot be prepared starts unsandboxed, and the placement says why. */
export function sandboxAgent({ definition, wanted, enforcement, env }: AgentSandboxOptions): AgentPlacement {
  const { label, sandbox } = definition;
  const isWanted = wanted ?? sandbox?.byDefault === true;
  if (!isWanted)
    return wanted === false && sandbox?.byDefault === true
      ? startUnsandboxed("You chose that for it.")
      : startUnsandboxed();
  if (definition.commands === "in_our_sandbox" || definition.commands === "in_our_terminals") {
    return startUnsandboxed(`${label} starts sandboxes itself, which cannot be done inside another one.`);
  }
  if (enforcement.kind === "off") return startUnsandboxed();
  if (!canSandboxAgents(enforcement)) {
    return startUnsandboxed(
      `A whole agent needs namespaces, and this machine has none: ${describeEnforcement(enforcement)}.`,
    );
  }
  const row: AgentSandbox = sandbox ?? { byDefault: false, state: [], hosts: [] };
  const moved = row.movedBy?.find((name) => (env[name] ?? "") !== "");
  if (moved !== undefined)
    return startUnsandboxed(`${moved} moves the folders of ${label} to where the sandbox does not know them.`);
  try {
    const prepared = preparePlaces(row, env);
    const { args = [], hosts } = row;
    const sandboxed = {
      ...definition,
      args: [...definition.args, ...args],
      env: { ...definition.env, ...row.env, ...prepared.env },
    };
    return { type: "sandboxed", enforcement, definition: sandboxed, places: prepared.places, hosts };
  } catch (error) {
    return startUnsandboxed(`Its folders could not be prepared: ${messageOf(error)}.`);
  }
}

function startUnsandboxed(why?: string): AgentPlacement {
  return why === undefined ? { type: "unsandboxed" } : { type: "unsandboxed", why };
}

interface PreparedPlaces {
  readonly places: AgentPlaces;
  readonly env: Readonly<Record<string, string>>;
}

function preparePlaces({ state, readable = [] }: AgentSandbox, env: NodeJS.ProcessEnv): PreparedPlaces {
  const folders = state.map(({ place }) => findPath(place, env));
  const elsewhere = readable.map((place) => findPath(place, env));
  for (const folder of [...folders, ...elsewhere]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const settings = state.flatMap((folder, index) => prepareReadOnly(folder, folders[index] ?? ""));
  const variables = state.flatMap(({ place }, index) =>
    place.variable === undefined ? [] : [[place.variable, folders[index] ?? ""]],
  );
  for (const [index, { place, movesIn }] of state.entries()) {
    const isMoved = place.variable !== undefined && (env[place.variable] ?? "") !== "";
    if (movesIn !== undefined && !isMoved) carryOver(join(homedir(), movesIn), join(folders[index] ?? "", movesIn));
  }
  return {
    places: { state: folders, readOnly: [...settings, ...elsewhere] },
    env: Object.fromEntries(variables) as Record<string, string>,
  };
}

const xdgFolders = {
  config: ["XDG_CONFIG_HOME", ".config"],
  data: ["XDG_DATA_HOME", ".local/share"],
  state: ["XDG_STATE_HOME", ".local/state"],
  cache: ["XDG_CACHE_HOME", ".cache"],
} as const;

/** Throws for a place that would open more than the agent's own. */
function findPath(place: AgentPlace, env: NodeJS.ProcessEnv): string {
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

/** A rule about a missing file would close its whole folder, so what is missing is made: as empty as its kind can be. */
function prepareReadOnly({ readOnly = [], readOnlyIfThere = [] }: StateFolder, folder: string): readonly string[] {
  for (const name of readOnly) makeEmpty(join(folder, name));
  const settings = [...readOnly, ...readOnlyIfThere].map((name) => resolve(folder, name)).filter(existsSync);
  return [...new Set([...settings, ...settings.flatMap((file) => findNamedFiles(file, folder))])];
}

/** An agent may not read its settings where they have nothing of what it looks for. */
const emptyTexts: Readonly<Record<string, string>> = { "models.json": '{"providers":{}}\n' };

function makeEmpty(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(path.endsWith("/") ? path : dirname(path), { recursive: true, mode: 0o700 });
  if (path.endsWith("/")) return;
  const text = emptyTexts[basename(path)] ?? (path.endsWith(".json") ? "{}\n" : "");
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
}

const maxSettingsBytes = 1_000_000;

/** The files of the folder that its settings name: scripts for a status line, hooks, helpers for keys. */
function findNamedFiles(settings: string, folder: string): readonly string[] {
  const known = statSync(settings);
  if (!known.isFile() || known.size > maxSettingsBytes) return [];
  const words = readPlainText(settings, maxSettingsBytes).match(/(?:~|\$\{?\w+\}?)?\/[^\s"'`;|&<>()\\]+/g) ?? [];
  const paths = words.map((word) => resolve(word.replace(/^(?:~|\$\{?HOME\}?)(?=\/)/, homedir())));
  return paths.filter((path) => path.startsWith(`${folder}/`) && existsSync(path));
}

/** Never through a link: what the agent made is in the folder, too. */
function carryOver(from: string, to: string): void {
  if (!existsSync(from) || lstatSync(to, { throwIfNoEntry: false }) !== undefined) return;
  copyPlainFile(from, to);
}
