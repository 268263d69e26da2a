// What `agents` and `doctor` look at: the agents and the machine, without opening the register, so also beside a running host.
import { resolve } from "node:path";
import type { SetupRow } from "@signalbox/protocol";
import { proveEnforcement } from "@signalbox/sandbox";
import { knownAgents, type OwnProgram, ownAgents } from "./agents/known-agents.ts";
import { ReadinessBook } from "./agents/readiness-book.ts";
import { AgentRegistry } from "./agents/registry.ts";
import { readConfig } from "./config/config.ts";
import { defaultDataFolder } from "./data/data-folder.ts";
import { describeSetup } from "./server/setup.ts";

export interface Surroundings {
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessBook;
  /** Proves the sandbox and asks for Ollama: takes a moment. */
  describeMachine(): Promise<SetupRow>;
}

/** Throws a StartError when the configuration cannot be read. Makes nothing. */
export function lookAround(dataFolder: string | undefined, own: OwnProgram): Surroundings {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const config = readConfig(path);
  const configured = Object.entries(config.agents).map(([id, agent]) => ({ id, label: agent.label ?? id, ...agent }));
  const agents = new AgentRegistry([...ownAgents(own, path), ...knownAgents(), ...configured]);
  return {
    agents,
    readiness: new ReadinessBook(agents),
    describeMachine: async () => {
      const enforcement = await proveEnforcement({ off: config.sandbox.mode === "off" });
      return await describeSetup({ version: own.version, dataFolder: path, config, enforcement, listening: null });
    },
  };
}
