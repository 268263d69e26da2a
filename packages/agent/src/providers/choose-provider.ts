// Chooses the provider and the models of a session: flags first, then config, then the keys in the environment.
import type { Config, ProviderConfig } from "@signalbox/config";
import {
  chosenProvider,
  customUrl,
  findKey,
  isProviderName,
  keyVariables,
  type ProviderName,
  providers,
} from "@signalbox/config/providers";
import type { ProviderSettings } from "./provider-settings.ts";

/** From the command line. */
export interface ProviderFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

export interface ProviderChoice {
  readonly provider: string;
  readonly models: ModelChoice;
  readonly maxOutputTokens: number;
  settings(model: string): ProviderSettings;
}

interface ModelChoice {
  readonly fast: string;
  readonly complex: string;
  /** What else can be chosen in this session. */
  readonly known: readonly string[];
}

const defaultMaxOutputTokens = 16_384;

/** The models to offer, the default first. Ollama's default is the first one that is installed. */
const knownModels: Readonly<Record<ProviderName, readonly string[]>> = {
  openai: ["gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.1", "gpt-4.1"],
  anthropic: ["claude-sonnet-5", "claude-opus-5", "claude-sonnet-4-5", "claude-haiku-4-5"],
  gemini: ["gemini-pro-latest", "gemini-flash-latest", "gemini-2.5-pro", "gemini-2.5-flash"],
  openrouter: ["openrouter/auto"],
  ollama: [],
  demo: ["demo"],
};

type ProviderSource = Pick<Config, "provider" | "providers"> & {
  readonly limits: Pick<Config["limits"], "stallTimeoutMs">;
};

/** Undefined where nothing names a provider. The demo answers only where it is named. */
export function chooseProvider(
  flags: ProviderFlags,
  config: ProviderSource,
  env: NodeJS.ProcessEnv,
): ProviderChoice | undefined {
  const provider = flags.provider ?? chosenProvider(config, env);
  if (provider === undefined) return undefined;
  const configured = config.providers[provider] ?? {};
  return {
    provider,
    models: chooseModels(flags, configured, isProviderName(provider) ? knownModels[provider] : []),
    maxOutputTokens: configured.max_output_tokens ?? defaultMaxOutputTokens,
    settings: (model) => ({
      ...connection(provider, flags, configured, env),
      model,
      stallMs: config.limits.stallTimeoutMs,
    }),
  };
}

function chooseModels(flags: ProviderFlags, configured: ProviderConfig, offered: readonly string[]): ModelChoice {
  const complex = flags.model ?? configured.model_complex ?? configured.model ?? offered[0] ?? "";
  const fast = flags.model ?? configured.model_fast ?? complex;
  const known = new Set([complex, fast, configured.model ?? complex, ...offered]);
  return { fast, complex, known: [...known].filter((name) => name !== "") };
}

function connection(
  provider: string,
  flags: ProviderFlags,
  configured: ProviderConfig,
  env: NodeJS.ProcessEnv,
): Omit<ProviderSettings, "model" | "stallMs"> {
  const variables = keyVariables(provider, configured);
  const custom = flags.baseUrl ?? customUrl(provider, configured, env);
  return {
    provider,
    apiKey: findKey(variables, env)?.value,
    keyVariable: variables[0],
    // A server of the user's own often needs none.
    keyRequired: variables.length > 0 && (custom === undefined || configured.api_key_env !== undefined),
    baseUrl: custom ?? (isProviderName(provider) ? providers[provider].defaultUrl : undefined),
    api: configured.api,
    headers: configured.headers ?? {},
    contextWindow: configured.context_window,
  };
}
