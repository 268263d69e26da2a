// Makes the rules of a policy from a mode and some folders. Paths become real paths here, once.
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { identityFolder } from "../environment/git-identity.ts";
import { trustFolder } from "../network/trust-files.ts";
import { movedCredentials, systemCredentials } from "./credentials.ts";
import { findRule } from "./decide.ts";
import { findSignalboxProgram } from "./find-signalbox-program.ts";
import { listHomeFolders, listShownFolders, listVisibleEntries } from "./home-folder.ts";
import { gitGuardRules, guardRules } from "./obeyed-files.ts";
import { type AccessMode, isInside, type NetworkAccess, type Policy, type Rule, type StandIn } from "./policy.ts";
import { type Platform, startUpFiles, systemFolders } from "./protected-paths.ts";
import { realPathsNow } from "./real-path.ts";

export interface PolicySettings {
  readonly mode: AccessMode;
  readonly network: NetworkAccess;
  readonly workspaceFolders: readonly string[];
  /** Where our database, config, token and pid ledger are: `~/.signalbox` or `$SIGNALBOX_HOME`. */
  readonly dataFolder: string;
  /** Paths that the user's own config names as writable. */
  readonly writable?: readonly string[];
  /** Paths in the home folder that the user's own config shows. */
  readonly readable?: readonly string[];
  /** Files that the next agent or command is started from: not writable in any mode. Defaults to the checkout of this code. */
  readonly programFiles?: readonly string[];
  /** For an agent that runs inside itself. */
  readonly agent?: AgentPlaces;
  readonly homeFolder?: string;
  /** Whose variables say where programs keep their keys; this process's by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly tempFolder?: string;
  readonly platform?: Platform;
}

/** A private home for an agent. Nothing that it writes there is obeyed by a start outside. */
export interface AgentPlaces {
  /** The folder that stands at the path of the home folder. */
  readonly home: string;
  /** The folders of its state, at the path where the agent looks for each. */
  readonly layers: readonly { readonly path: string; readonly standIn: StandIn }[];
  /** Where its program lies, if that is not a folder that shows anyway. */
  readonly programs: readonly string[];
}

export function createPolicy(settings: PolicySettings): Policy {
  const platform = settings.platform ?? (process.platform === "darwin" ? "darwin" : "linux");
  const { mode, network } = settings;
  const real = realPathsOrThrow();
  const homes = listHomeFolders(platform, settings.homeFolder);
  const protections = [
    ...homes.flatMap((home, index) => buildHomeRules(home, settings, real, index === 0 ? settings.agent : undefined)),
    ...protectedRules(settings, { platform, homes }, real),
    ...makeDataRules(real(settings.dataFolder)),
  ];
  const granted: Rule[] = [];
  const ignored: Policy["ignored"][number][] = [];
  const withoutWishes = { rules: [rootRule(mode), ...protections] };
  for (const wish of wishes(settings, homes, real)) {
    const obstacle = findRule(withoutWishes, wish.path);
    // A thread has its own worktree, and sees no other one. A folder in the home folder shows where a person chose it.
    const isProtected = obstacle.path !== "/" && obstacle.access !== "write" && !openable.has(obstacle.name);
    if (isProtected && wish.access === "write") ignored.push({ path: wish.path, because: obstacle });
    else granted.push(wish);
  }
  const withoutStartUp = { rules: [rootRule(mode), ...granted, ...protections] };
  const startUp = homes
    .flatMap((home) => startUpFiles(platform).map((name) => join(home, name)))
    .flatMap((path) => nameRules(path, "read", "shell-start-up", real))
    .filter(({ path }) => {
      const { access, standIn } = findRule(withoutStartUp, path);
      return access === "write" && standIn === undefined; // in a folder of ours nothing is obeyed outside
    });
  const withoutGuards = { rules: [...withoutStartUp.rules, ...startUp] };
  /** Guards the target of a link as well, because it is obeyed too. Only where it is writable: a guard must never open a hidden path. */
  const withTarget = (guard: Rule): Rule[] => {
    const target = guard.name === "git-internals" ? guard.path : real(guard.path); // of git's own files the launch finds out
    const isClosed = target === guard.path || findRule(withoutGuards, target).access !== "write";
    return isClosed ? [guard] : [guard, { ...guard, path: target }];
  };
  const allGuards = guards(settings, real).flatMap(withTarget);
  return { mode, network, rules: [rootRule(mode), ...granted, ...allGuards, ...startUp, ...protections], ignored };
}

const openable: ReadonlySet<Rule["name"]> = new Set(["other-worktrees", "home", "toolchain"]);

/** A folder that the user's config opens is no workspace: only what git obeys is closed in it. */
function guards({ mode, workspaceFolders, writable = [] }: PolicySettings, real: RealPathOrThrow): Rule[] {
  const inWorkspaces = workspaceFolders.flatMap((folder) => guardRules(real(folder)));
  const inOthers = writable.flatMap((folder) => gitGuardRules(real(folder)));
  return mode === "rwx" ? [] : mode === "rx" ? inOthers : [...inWorkspaces, ...inOthers];
}

function rootRule(mode: AccessMode): Rule {
  return { path: "/", access: mode === "rwx" ? "write" : "read", name: "everything-else" };
}

function wishes(settings: PolicySettings, homes: readonly string[], real: RealPathOrThrow): Rule[] {
  const access = settings.mode === "rx" ? "read" : "write";
  const temp = new Set((settings.tempFolder === undefined ? [tmpdir(), "/tmp"] : [settings.tempFolder]).map(real));
  /** A folder that holds the home folder opens what is visible in it, as it is now. */
  const withHome = (folder: string): string[] => {
    const path = real(folder);
    const inside = homes.map(real).filter((home) => isInside(home, path));
    return [path, ...inside.flatMap((home) => listVisibleEntries(home).map(real))];
  };
  return [
    ...settings.workspaceFolders.flatMap(withHome).map((path): Rule => ({ path, access, name: "workspace" })),
    ...[...temp].map((path): Rule => ({ path, access: "write", name: "temp" })),
    ...(settings.writable ?? []).flatMap(withHome).map((path): Rule => ({ path, access: "write", name: "configured" })),
    ...(settings.agent?.layers ?? []).map(
      ({ path, standIn }): Rule => ({
        path: realInHome(path, homes, real),
        access: "write",
        name: "agent-state",
        standIn,
      }),
    ),
  ];
}

/** A link in the home folder is not there inside: what it leads to is mounted in its place. */
function realInHome(path: string, homes: readonly string[], real: RealPathOrThrow): string {
  const home = homes.find((each) => isInside(path, each));
  return home === undefined ? real(path) : join(real(home), path.slice(home.length));
}

/** An empty folder, or an agent's private one, in which programs show and what the person's config names. */
function buildHomeRules(
  home: string,
  settings: PolicySettings,
  real: RealPathOrThrow,
  agent: AgentPlaces | undefined,
): Rule[] {
  const path = real(home);
  const env = settings.env ?? process.env;
  const show = (paths: readonly string[], name: Rule["name"]) =>
    [...new Set(paths.map(real))]
      .filter((each) => each !== path && isInside(each, path) && existsSync(each))
      .map((each): Rule => ({ path: each, access: "read", name }));
  return [
    agent === undefined
      ? { path, access: "hidden", name: "home", standIn: { type: "empty" } }
      : { path, access: "write", name: "agent-state", standIn: { type: "folder", folder: agent.home } },
    ...show([...listShownFolders(home, env), ...(settings.agent?.programs ?? [])], "toolchain"),
    ...show(settings.readable ?? [], "configured"),
  ];
}

/** A protected path that is a link protects both: the link, which could be replaced, and what it leads to. */
function nameRules(path: string, access: "read" | "hidden", name: Rule["name"], real: RealPathOrThrow): Rule[] {
  const target = real(path);
  const asWritten: Rule = { path, access, name };
  return target === path ? [asWritten] : [asWritten, { path: target, access, name }];
}

function protectedRules(
  settings: PolicySettings,
  { platform, homes }: { readonly platform: Platform; readonly homes: readonly string[] },
  real: RealPathOrThrow,
): Rule[] {
  const isRoot = process.getuid?.() === 0;
  const hidden = movedCredentials(settings.env ?? process.env, platform)
    .map((path) => resolve(path))
    .filter((path) => isHiddenAlone(path, settings, homes));
  return [
    ...systemFolders(platform).flatMap((path) => nameRules(path, "read", "system-folder", real)),
    ...hidden.flatMap((path) => nameRules(path, "hidden", "credentials", real)),
    ...(isRoot ? systemCredentials(platform).flatMap((path) => nameRules(path, "hidden", "credentials", real)) : []),
    ...(settings.programFiles ?? findSignalboxProgram()).flatMap((path) =>
      nameRules(path, "read", "own-program", real),
    ),
  ];
}

/**
 * True for what can be hidden and takes nothing else along: it is there, and holds neither the home folder nor a workspace. A rule about a missing path would
 * close the folder that it is missing in. What lies in a workspace is the project's, and devices such as /dev/null have no content.
 */
function isHiddenAlone(
  path: string,
  { workspaceFolders, dataFolder }: PolicySettings,
  homes: readonly string[],
): boolean {
  if (isIn(workspaceFolders, path)) return false;
  if ([...homes, dataFolder, tmpdir(), ...workspaceFolders].some((each) => isInside(each, path))) return false;
  try {
    const found = statSync(path);
    return found.isFile() || found.isDirectory();
  } catch {
    return false; // a command cannot look at it either
  }
}

function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function makeDataRules(folder: string): Rule[] {
  return [
    { path: folder, access: "hidden", name: "own-data" },
    { path: join(folder, "workspace"), access: "write", name: "data-workspace" },
    { path: join(folder, "skills"), access: "read", name: "skills" },
    { path: join(folder, trustFolder), access: "read", name: "trusted-certificates" },
    { path: join(folder, identityFolder), access: "read", name: "git-identity" },
    { path: join(folder, "agents"), access: "read", name: "own-program" },
    { path: join(folder, "worktrees"), access: "hidden", name: "other-worktrees" },
  ];
}

type RealPathOrThrow = (path: string) => string;

function realPathsOrThrow(): RealPathOrThrow {
  const realPath = realPathsNow();
  return (path) => {
    const result = realPath(path);
    if (!result.found) throw new Error(`A sandbox policy needs absolute paths that can be looked at, not ${path}`);
    return result.path;
  };
}
