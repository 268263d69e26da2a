// Describes this machine for the start page and the settings: which keys are set (never their values), whether Ollama runs, the sandbox.
import { homedir } from "node:os";
import type { Config } from "@signalbox/config";
import { customUrl, findKey, keyVariables, providerNames, providers } from "@signalbox/config/providers";
import type { ListeningRow, SetupRow } from "@signalbox/protocol";
import type { Enforcement } from "@signalbox/sandbox";
import { describeEnforcement } from "@signalbox/sandbox";

/** A local server answers quickly or does not run. */
const ollamaTimeoutMs = 500;

export async function describeSetup(input: {
  readonly version: string;
  readonly dataFolder: string;
  readonly config: Config;
  readonly enforcement: Enforcement;
  readonly listening: ListeningRow | null;
}): Promise<SetupRow> {
  const { version, dataFolder, config, enforcement, listening } = input;
  return {
    version,
    data_dir: dataFolder,
    start_folder: process.cwd(),
    home_folder: homedir(),
    providers: providerKeys(config, process.env),
    listening,
    ollama: await askOllama(config),
    sandbox: {
      enforced: enforcement.kind !== "off" && enforcement.kind !== "unavailable",
      by: describeEnforcement(enforcement),
      reason: enforcement.kind === "unavailable" ? `${enforcement.reason} ${enforcement.remedy}` : null,
      mode: config.sandbox.mode,
      network: config.sandbox.network,
    },
  };
}

/** The providers that need a key, and whether the variable where our agent looks for it is set. */
export function providerKeys(config: Pick<Config, "providers">, env: NodeJS.ProcessEnv): SetupRow["providers"] {
  return providerNames.flatMap((name) => {
    const variables = keyVariables(name, config.providers[name]);
    const [first] = variables;
    if (first === undefined) return [];
    const found = findKey(variables, env);
    const { label } = providers[name];
    return [{ name, label, key_present: found !== undefined, variable: found?.variable ?? first }];
  });
}

async function askOllama(config: Config): Promise<SetupRow["ollama"]> {
  const address = customUrl("ollama", config.providers.ollama ?? {}, process.env) ?? providers.ollama.defaultUrl;
  try {
    const answer = await fetch(new URL("/api/tags", address), { signal: AbortSignal.timeout(ollamaTimeoutMs) });
    const { models } = (await answer.json()) as { models?: { name?: unknown }[] };
    const names = (models ?? []).map(({ name }) => name).filter((name) => typeof name === "string");
    return { running: answer.ok, models: names };
  } catch {
    return { running: false, models: [] };
  }
}
