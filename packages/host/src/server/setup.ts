// Describes this machine for the start page and the settings: which keys are set (never their values), whether Ollama runs, the sandbox.
import { homedir } from "node:os";
import { join } from "node:path";
import type { Config } from "@signalbox/config";
import type { KeptKey, KeyStore } from "@signalbox/config/keys";
import { chosenProvider, findKey, keyVariables, providers, providersByKey } from "@signalbox/config/providers";
import type { ListeningRow, ProviderKeyRow, SetupRow } from "@signalbox/protocol";
import type { Enforcement } from "@signalbox/sandbox";
import { describeEnforcement } from "@signalbox/sandbox";
import type { AcpRegistry } from "../agents/acp-registry/acp-registry.ts";
import { signalboxAgentId } from "../agents/all-agents.ts";
import { describeOllama } from "../agents/ollama.ts";
import { findExposedPaths } from "../data/data-folder.ts";
import { describeModelList } from "../data/model-list.ts";
import { chooseEditor } from "./open-editor.ts";

export async function describeSetup(input: {
  readonly version: string;
  readonly dataFolder: string;
  readonly config: Config;
  readonly keys: KeyStore;
  readonly acpRegistry: AcpRegistry;
  readonly enforcement: Enforcement;
  readonly listening: ListeningRow | null;
}): Promise<SetupRow> {
  const { version, dataFolder, config, keys, acpRegistry, enforcement, listening } = input;
  return {
    version,
    data_dir: dataFolder,
    exposed_paths: findExposedPaths(dataFolder),
    start_folder: process.cwd(),
    home_folder: homedir(),
    demo_folder: join(dataFolder, "workspace", "demo"),
    providers: listProviderKeys(config, process.env, keys.list()),
    usual_provider: chooseUsualProvider(config, process.env, keys.list()),
    key_place: keys.place,
    config_file: join(dataFolder, "config.json"),
    registry: acpRegistry.row,
    models: describeModelList(dataFolder),
    listening,
    editor: chooseEditor(config.editor, process.env)?.name ?? null,
    ollama: await describeOllama(config),
    sandbox: {
      enforced: enforcement.kind !== "off" && enforcement.kind !== "unavailable",
      by: describeEnforcement(enforcement),
      reason: enforcement.kind === "unavailable" ? `${enforcement.reason} ${enforcement.remedy}` : null,
      mode: config.sandbox.mode,
      network: config.sandbox.network.isOpen,
      network_allow: config.sandbox.network.allow ?? null,
    },
  };
}

/** The providers that need a key, and whether the variable where our agent looks for it is set. */
export function listProviderKeys(
  config: Pick<Config, "providers">,
  env: NodeJS.ProcessEnv,
  kept: readonly KeptKey[] = [],
): readonly ProviderKeyRow[] {
  return providersByKey(config.providers).map((name): ProviderKeyRow => {
    const variables = keyVariables(name, config.providers[name]);
    const { label, keyPrefix: key_prefix = null } = providers[name];
    const found = findKey(variables, env);
    if (found !== undefined) {
      const { variable } = found;
      return { name, label, key_present: true, variable, key_source: "environment", last_four: null, key_prefix };
    }
    const own = kept.find(({ agent, variable }) => agent === signalboxAgentId && variables.includes(variable));
    const key = { key_source: own?.place ?? null, last_four: own?.last_four ?? null, key_prefix };
    return { name, label, key_present: own !== undefined, variable: own?.variable ?? variables[0] ?? "", ...key };
  });
}

/** The provider that our agent uses where config.json names none; null while none is set up. */
export function chooseUsualProvider(
  config: Pick<Config, "providers">,
  env: NodeJS.ProcessEnv,
  kept: readonly KeptKey[] = [],
): string | null {
  const own = kept.filter(({ agent }) => agent === signalboxAgentId).map(({ variable }) => [variable, "kept"]);
  return chosenProvider({ providers: config.providers }, { ...env, ...Object.fromEntries(own) }) ?? null;
}
