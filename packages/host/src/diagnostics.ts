// Inspects the agents and the machine for `agents` and `doctor`. Does not open the register, so it also works beside a running host.
import { resolve } from "node:path";
import type { SetupRow } from "@signalbox/protocol";
import { proveEnforcement } from "@signalbox/sandbox";
import { knownAgents, type OwnProgram, ownAgents } from "./agents/known-agents.ts";
import { ReadinessTracker } from "./agents/readiness-tracker.ts";
import { AgentRegistry } from "./agents/registry.ts";
import { defaultDataFolder } from "./data/data-folder.ts";
import { readUserConfig } from "./data/user-config.ts";
import { describeSetup } from "./server/setup.ts";

export interface Diagnostics {
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessTracker;
  /** Tests the sandbox and asks for Ollama: takes a moment. */
  describeMachine(): Promise<SetupRow>;
}

/** Throws a StartError when the configuration cannot be read. Creates no files. */
export function openDiagnostics(dataFolder: string | undefined, own: OwnProgram): Diagnostics {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const { config } = readUserConfig(path);
  const configured = Object.entries(config.agents).map(([id, agent]) => ({ id, ...agent }));
  const agents = new AgentRegistry([...ownAgents(own, path, config), ...knownAgents(), ...configured]);
  return {
    agents,
    readiness: new ReadinessTracker(agents),
    describeMachine: async () => {
      const enforcement = await proveEnforcement({ off: config.sandbox.mode === "off" });
      return await describeSetup({ version: own.version, dataFolder: path, config, enforcement, listening: null });
    },
  };
}
