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
import { maxOutputTokensOf } from "./known-models.ts";
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
  /** Of one answer of this model. */
  maxOutputTokens(model: string): number;
  settings(model: string): ProviderSettings;
}

interface ModelChoice {
  readonly fast: string;
  readonly complex: string;
  /** What else can be chosen in this session. */
  readonly known: readonly string[];
}

/** The models to offer, the default first. Ollama's default is the first one that is installed. */
const knownModels: Readonly<Record<ProviderName, readonly string[]>> = {
  openai: ["gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-luna", "gpt-6-astra", "gpt-5.5", "gpt-5.3-codex", "gpt-4.1"],
  anthropic: ["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-5", "claude-opus-5"],
  gemini: ["gemini-pro-latest", "gemini-4-argon", "gemini-flash-latest", "gemini-2.5-pro", "gemini-2.5-flash"],
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
    maxOutputTokens: (model) => configured.max_output_tokens ?? maxOutputTokensOf(model),
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
