// Opens the place in which an agent is started without a thread, sandboxed as a thread of it would be.
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import type { UserConfig } from "@signalbox/config";
import type { KeyStore } from "@signalbox/config/keys";
import type { Enforcement } from "@signalbox/sandbox";
import { removePrivateFolder } from "../agents/agent-home.ts";
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
  // Its private home is as new as its folder: nothing that an agent inside wrote is in it.
  const id = basename(folder);
  parts.defer(() => removePrivateFolder(dataFolder, id));
  const sandbox = parts.use(
    await SessionSandbox.open(
      // No prompt runs here, and the folder is empty: rules about its paths have nothing to close.
      {
        folder: { path: dataFolder },
        keys,
        enforcement,
        register: { append: () => {} },
        rules: { listClosures: () => [] },
      },
      {
        thread: {
          id,
          parent_thread_id: null,
          agent_id: agent.id,
          cwd: folder,
          additional_directories: [],
          sandbox_choice: null,
        },
        definition: agent,
        config: userConfig.config,
        turn: new TurnSignal(),
        isProbe: true,
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
