// Opens the place in which an agent is started without a thread, sandboxed as a thread of it would be.
import { rm } from "node:fs/promises";
import type { UserConfig } from "@signalbox/config";
import type { KeyStore } from "@signalbox/config/keys";
import type { Enforcement } from "@signalbox/sandbox";
import { makeProbeFolder, type ProbePlace } from "../agents/probe-place.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { TurnSignal } from "../permissions/turn-signal.ts";
import { SessionSandbox } from "./session-sandbox.ts";

interface ProbeServices {
  readonly dataFolder: string;
  readonly userConfig: Pick<UserConfig, "config">;
  readonly keys: KeyStore;
  readonly enforcement: Promise<Enforcement>;
}

export async function openProbePlace(services: ProbeServices, agent: AgentDefinition): Promise<ProbePlace> {
  const { dataFolder, keys, enforcement, userConfig } = services;
  await using parts = new AsyncDisposableStack();
  const folder = await makeProbeFolder(dataFolder);
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const sandbox = parts.use(
    await SessionSandbox.open(
      { folder: { path: dataFolder }, keys, enforcement, register: { append: () => {} } },
      {
        thread: { id: "", agent_id: agent.id, cwd: folder, additional_directories: [], sandbox_choice: null },
        definition: agent,
        config: userConfig.config,
        turn: new TurnSignal(),
      },
    ),
  );
  const owned = parts.move();
  return {
    folder,
    definition: sandbox.definition,
    sandbox: sandbox.agentSandbox,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
