// Decides whether an agent is sandboxed, and prepares that: a private home, and an environment and arguments that turn off what cannot work in a
// sandbox.
import { basename, dirname } from "node:path";
import { messageOf } from "@signalbox/protocol";
import {
  type AgentEnforcement,
  type AgentPlaces,
  canSandboxAgents,
  describeEnforcement,
  type Enforcement,
} from "@signalbox/sandbox";
import { prepareAgentHome } from "./agent-home.ts";
import { findProgram, listProgramPlaces } from "./find-program.ts";
import type { AgentDefinition, AgentSandbox } from "./registry.ts";

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
  /** In the data folder, for this thread: see `prepareAgentHome`. */
  readonly privateFolder: string;
  readonly canOverlay: boolean;
}

/** Makes the agent's private home. Never throws: an agent that cannot be prepared starts unsandboxed, and the placement says why. */
export function sandboxAgent({
  definition,
  wanted,
  enforcement,
  env,
  privateFolder,
  canOverlay,
}: AgentSandboxOptions): AgentPlacement {
  const { label, sandbox } = definition;
  const because = explainOutside(definition);
  const startsSandboxes = definition.commands === "in_our_sandbox" || definition.commands === "in_our_terminals";
  if (!(wanted ?? because === undefined)) {
    // The description of its commands says that already.
    if (startsSandboxes) return startUnsandboxed();
    return startUnsandboxed(wanted === false && because === undefined ? "You chose that for it." : because);
  }
  if (startsSandboxes) return startUnsandboxed(because);
  if (enforcement.kind === "off") return startUnsandboxed();
  if (!canSandboxAgents(enforcement)) {
    return startUnsandboxed(
      `A whole agent needs namespaces, and this machine has none: ${describeEnforcement(enforcement)}.`,
    );
  }
  const row: AgentSandbox = sandbox ?? { state: [], hosts: [] };
  const moved = row.movedBy?.find((name) => (env[name] ?? "") !== "");
  if (moved !== undefined)
    return startUnsandboxed(`${moved} moves the folders of ${label} to where the sandbox does not know them.`);
  try {
    const { args = [], hosts } = row;
    const places = {
      ...prepareAgentHome(row, { env, folder: privateFolder, canOverlay }),
      programs: findProgramFolders(definition, env),
    };
    const sandboxed = { ...definition, args: [...definition.args, ...args], env: { ...definition.env, ...row.env } };
    return { type: "sandboxed", enforcement, definition: sandboxed, places, hosts };
  } catch (error) {
    return startUnsandboxed(`Its folders could not be prepared: ${messageOf(error)}.`);
  }
}

/** Why an agent runs outside where no one chose; undefined for one that runs inside. */
export function explainOutside({ label, commands, sandbox }: AgentDefinition): string | undefined {
  if (commands === "in_our_sandbox" || commands === "in_our_terminals")
    return `${label} starts sandboxes itself, which cannot be done inside another one.`;
  if (sandbox !== undefined) return sandbox.outsideBecause;
  return `Signalbox does not know which folders ${label} needs. With \`"sandbox": true\` in your config it runs inside, with a private home.`;
}

function startUnsandboxed(why?: string): AgentPlacement {
  return why === undefined ? { type: "unsandboxed" } : { type: "unsandboxed", why };
}

/** Folders that its program needs: of one in an npm package, all packages beside it. */
function findProgramFolders(definition: AgentDefinition, env: NodeJS.ProcessEnv): readonly string[] {
  const found = findProgram(definition, listProgramPlaces(env));
  if (found === null) return [];
  return [found.command, found.file].map((file) => {
    const packages = file.indexOf("/node_modules/");
    if (packages !== -1) return file.slice(0, packages + "/node_modules".length);
    return basename(dirname(file)) === "bin" ? dirname(file) : file;
  });
}
