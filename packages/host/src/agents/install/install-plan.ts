// Describes how Signalbox installs an agent into its own folder: packages of npm or of Python, or an archive with a program. Pinned, so that a
// click today and one tomorrow install the same.
import { join } from "node:path";

export type InstallPlan = NpmPlan | UvPlan | ArchivePlan;

export interface NpmPlan {
  readonly type: "npm";
  /** Each with its exact version: `NAME@1.2.3`. */
  readonly packages: readonly [string, ...string[]];
  /** The program in node_modules/.bin; undefined where the first package has only one; null for a library, which has none. */
  readonly program?: string | null;
  /** True where the agent does not work unless its package may run programs while it is installed. */
  readonly runsScripts: boolean;
}

export interface UvPlan {
  readonly type: "uv";
  /** `NAME==1.2.3` */
  readonly package: string;
  readonly program?: string;
}

export interface ArchivePlan {
  readonly type: "archive";
  readonly url: string;
  /** Undefined where the publisher names none: then only the connection vouches for what arrives. */
  readonly sha256?: string;
  /** The program inside of it. */
  readonly program: string;
}

/** Where an agent is installed to. Each has a folder of its own, because two agents may need two versions of the same package. */
export function makeInstallFolder(dataFolder: string, agentId: string): string {
  return join(dataFolder, "agents", agentId);
}

/** The command that is run, as one would type it. */
export function describeInstallCommand(plan: InstallPlan, folder: string): string {
  switch (plan.type) {
    case "npm":
      return `npm ${makeNpmArguments(plan, folder).join(" ")}`;
    case "uv":
      return `uv tool install ${plan.package}`;
    case "archive":
      return `curl -L ${plan.url} | tar -x -C ${folder}`;
  }
}

export function makeNpmArguments({ packages, runsScripts }: NpmPlan, folder: string): readonly string[] {
  // Always named: `npm start` in a checkout passes the checkout's own setting on.
  const scripts = runsScripts ? "--ignore-scripts=false" : "--ignore-scripts";
  return ["install", "--prefix", folder, scripts, "--save-exact", ...packages];
}

/** `@a/b@1.2.3` → `@a/b` */
export function readPackageName(versioned: string): string {
  return versioned.replace(/(?<=.)@.*$/, "");
}

/** Returns what a person should know before the installation runs; null if there is nothing. */
export function describeWarning(plan: InstallPlan): string | null {
  if (plan.type === "npm" && plan.runsScripts)
    return "Its package runs a program of its own while it is installed. Signalbox cannot install it without that.";
  if (plan.type === "uv") return "Packages of Python may run programs of their own while they are installed.";
  if (plan.type === "archive" && plan.sha256 === undefined)
    return "Its publisher names no checksum: only the connection vouches for what is downloaded.";
  return null;
}
