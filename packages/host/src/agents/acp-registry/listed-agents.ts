// Turns the agents of the ACP registry into agents that Signalbox can install and start. Those that we know better are left out: our own rows
// have versions that were tried, quirks and log-ins.
import {
  describeInstallCommand,
  type InstallPlan,
  makeInstallFolder,
  readPackageName,
} from "../install/install-plan.ts";
import type { AgentDefinition } from "../registry.ts";
import type { ListedAgent } from "./registry-format.ts";

/** Maps ids of the registry to our own rows of the same agents. */
const knownIds: Readonly<Record<string, string>> = {
  "claude-acp": "claude-code",
  "codex-acp": "codex",
  "factory-droid": "droid",
  "github-copilot-cli": "copilot",
  "grok-build": "grok",
  "pi-acp": "pi",
  "qwen-code": "qwen",
};

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/** `known`: the ids of our own rows. Those that cannot be installed on this machine are left out. */
export function defineListedAgents(
  agents: readonly ListedAgent[],
  dataFolder: string,
  known: ReadonlySet<string>,
  machine: Machine = process,
): readonly AgentDefinition[] {
  return agents.flatMap((agent) => {
    const { id, name, version, description } = agent;
    if (known.has(knownIds[id] ?? id)) return [];
    const way = chooseWay(agent, machine);
    if (way === null) return [];
    const installFolder = makeInstallFolder(dataFolder, id);
    const { plan, command, args, env } = way;
    // Of a package that is run by Node, ours is new enough.
    const origin =
      plan.type === "npm"
        ? { program: { npmPackage: readPackageName(plan.packages[0]), version, minimumNode: 20 } }
        : {};
    return [
      {
        id,
        label: name,
        ...(description === undefined ? {} : { description }),
        command,
        args,
        userEnv: { defaults: env },
        installFolder,
        plan,
        install: describeInstallCommand(plan, installFolder),
        ...origin,
      },
    ];
  });
}

interface Way {
  readonly plan: InstallPlan;
  /** The name to look for on the PATH, in case the person installed the agent otherwise. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** npm first, because it runs nothing while it installs; then an archive, with a checksum before one without; then Python. */
function chooseWay({ id, version, distribution }: ListedAgent, machine: Machine): Way | null {
  const { npx, uvx, binary } = distribution;
  const target = binary?.[namePlatform(machine)];
  if (npx !== undefined) {
    const { package: named, cmd, args = [], env = {} } = npx;
    const plan = { type: "npm", packages: [pinVersion(named, "@", version)], runsScripts: false } as const;
    return { plan: cmd === undefined ? plan : { ...plan, program: cmd }, command: cmd ?? id, args, env };
  }
  if (target !== undefined) {
    const { archive: url, sha256, cmd: program, args = [], env = {} } = target;
    const plan = { type: "archive", url, program, ...(sha256 === undefined ? {} : { sha256 }) } as const;
    return { plan, command: id, args, env };
  }
  if (uvx !== undefined) {
    const { package: named, cmd, args = [], env = {} } = uvx;
    const plan = { type: "uv", package: pinVersion(named.replace("@", "=="), "==", version) } as const;
    return { plan: cmd === undefined ? plan : { ...plan, program: cmd }, command: cmd ?? id, args, env };
  }
  return null;
}

/** With the version of the entry, where the package names none, or one that changes. */
function pinVersion(named: string, sign: "@" | "==", version: string): string {
  const at = named.indexOf(sign, 1);
  const given = at < 0 ? "" : named.slice(at + sign.length);
  return /^\d+\.\d+/.test(given) ? named : `${at < 0 ? named : named.slice(0, at)}${sign}${version}`;
}

function namePlatform({ platform, arch }: Machine): string {
  return `${platform}-${arch === "arm64" ? "aarch64" : "x86_64"}`;
}
