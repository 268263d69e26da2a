// Inspects the agents and the machine for `agents` and `doctor`. Does not open the register, so it also works beside a running host.
import { resolve } from "node:path";
import { secretVariables } from "@signalbox/config";
import { KeyStore } from "@signalbox/config/keys";
import type { SetupRow } from "@signalbox/protocol";
import { type Enforcement, proveEnforcement } from "@signalbox/sandbox";
import { AcpRegistry } from "./agents/acp-registry/acp-registry.ts";
import { listAllAgents } from "./agents/all-agents.ts";
import { Installer } from "./agents/install/installer.ts";
import type { OwnProgram } from "./agents/known-agents.ts";
import { ReadinessTracker } from "./agents/readiness-tracker.ts";
import { AgentRegistry } from "./agents/registry.ts";
import { defaultDataFolder } from "./data/data-folder.ts";
import { readUserConfig } from "./data/user-config.ts";
import { describeSetup } from "./server/setup.ts";
import { openProbePlace } from "./sessions/open-probe-place.ts";

export interface Diagnostics {
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessTracker;
  readonly installer: Installer;
  /** Tests the sandbox and asks for Ollama: takes a moment. */
  describeMachine(): Promise<SetupRow>;
}

/** Throws a StartError when the configuration cannot be read. Creates no files, but an empty folder while an agent is tested. */
export function openDiagnostics(dataFolder: string | undefined, own: OwnProgram): Diagnostics {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const { config } = readUserConfig(path);
  const keys = new KeyStore(path);
  const acpRegistry = new AcpRegistry(path);
  const agents = new AgentRegistry(listAllAgents({ own, dataFolder: path, config, keys, acpRegistry }));
  let enforcement: Promise<Enforcement> | undefined;
  return {
    agents,
    readiness: new ReadinessTracker(agents, keys, {
      openPlace: async (agent) => {
        enforcement ??= proveEnforcement({ off: config.sandbox.mode === "off" });
        return await openProbePlace({ dataFolder: path, userConfig: { config }, keys, enforcement }, agent);
      },
    }),
    installer: new Installer({ secrets: () => secretVariables(config) }),
    describeMachine: async () => {
      enforcement ??= proveEnforcement({ off: config.sandbox.mode === "off" });
      return await describeSetup({
        version: own.version,
        dataFolder: path,
        config,
        keys,
        acpRegistry,
        enforcement: await enforcement,
        listening: null,
      });
    },
  };
}
