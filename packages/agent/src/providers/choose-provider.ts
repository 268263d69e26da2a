// Chooses the provider and the models of a session: flags first, then config, then the keys in the environment.
import type { Config, ProviderConfig } from "@signalbox/config";
import { Catalogue, defaultMaxOutputTokens, type ModelFacts } from "@signalbox/config/models";
import {
  chosenProvider,
  customUrl,
  findKey,
  findUsualModel,
  isProviderName,
  keyVariables,
  localServers,
  providerChoices,
  providerNames,
  providers,
} from "@signalbox/config/providers";
import type { ProviderSettings } from "./provider-settings.ts";

/** From the command line. */
export interface ProviderFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

/** A model is named `NAME`, or `PROVIDER:NAME` where it is another provider's. */
export interface ProviderChoice {
  readonly provider: string;
  readonly models: ModelChoice;
  /** Providers that are servers of the user's own: which models they have, they say when they are asked. */
  readonly userServers: readonly string[];
  /** The name as it is kept: `PROVIDER:` alone is that provider's usual model, and the provider that flags, config or keys choose is not named. */
  canonical(model: string): string;
  facts(model: string): ModelFacts;
  /** Of one answer of this model. */
  maxOutputTokens(model: string): number;
  settings(model: string): ProviderSettings;
}

interface ModelChoice {
  readonly fast: string;
  readonly complex: string;
  /** Other models that this session can choose. */
  readonly known: readonly string[];
}

/** How many models of a provider are offered. Any other can be named. */
const maxOffered = 100;

type ProviderSource = Pick<Config, "provider" | "providers"> & {
  readonly limits: Pick<Config["limits"], "stall_timeout_s">;
};

/** Undefined where nothing names a provider: no flag, no config, no key, nor the wanted model. The demo answers only where it is named. */
export function chooseProvider(
  flags: ProviderFlags,
  config: ProviderSource,
  env: NodeJS.ProcessEnv,
  wantedModel?: string,
  catalogue = new Catalogue(undefined, config.providers),
): ProviderChoice | undefined {
  const usual = flags.provider ?? chosenProvider(config, env);
  const provider = usual ?? (wantedModel === undefined ? undefined : splitModel(wantedModel, config).provider);
  if (provider === undefined) return undefined;
  const selectFlags = (name: string) => (name === provider ? flags : {});
  const selectModels = (name: string) =>
    chooseModels(selectFlags(name), config.providers[name] ?? {}, {
      usual: findUsualModel(name, config.providers[name]),
      offered: catalogue.names(name).slice(0, maxOffered),
    });
  const found = (name: string) => {
    const split = splitModel(name, config);
    const chosen = split.provider ?? provider;
    return { provider: chosen, model: split.model || selectModels(chosen).complex };
  };
  // A session that is opened again must find its provider, also where nothing but the model names it.
  const fullName = (name: string, model: string) => (name === usual ? model : `${name}:${model}`);
  const { fast, complex } = selectModels(provider);
  const all = new Set([provider, ...providersWithKey(config, env)]);
  const named = [...(env.OLLAMA_HOST ? ["ollama"] : []), ...Object.keys(config.providers)];
  const userServers = [...new Set([...all, ...named])].filter((name) => name === "ollama" || !isProviderName(name));
  return {
    provider,
    userServers,
    models: {
      fast: fullName(provider, fast),
      complex: fullName(provider, complex),
      known: [...all].flatMap((name) => selectModels(name).known.map((model) => fullName(name, model))),
    },
    canonical: (name) => {
      const { provider: chosen, model } = found(name);
      return fullName(chosen, model);
    },
    facts: (name) => {
      const { provider: chosen, model } = found(name);
      return catalogue.facts(chosen, model);
    },
    maxOutputTokens: (name) => {
      const { provider: chosen, model } = found(name);
      const { maxOutputTokens = defaultMaxOutputTokens } = catalogue.facts(chosen, model);
      return config.providers[chosen]?.max_output_tokens ?? maxOutputTokens;
    },
    settings: (name) => {
      const { provider: chosen, model } = found(name);
      return {
        ...connection(chosen, selectFlags(chosen), config.providers[chosen] ?? {}, env),
        model,
        facts: (each) => catalogue.facts(chosen, each),
        stallMs: config.limits.stall_timeout_s * 1000,
        env,
      };
    },
  };
}

/** A colon belongs to the model's own name unless a provider stands before it. */
function splitModel(name: string, { providers: configured }: ProviderSource): { provider?: string; model: string } {
  const colon = name.indexOf(":");
  const prefix = name.slice(0, Math.max(colon, 0));
  return providerChoices.includes(prefix) || Object.hasOwn(configured, prefix)
    ? { provider: prefix, model: name.slice(colon + 1) }
    : { model: name };
}

function providersWithKey({ providers: configured }: ProviderSource, env: NodeJS.ProcessEnv): readonly string[] {
  const names = new Set([...Object.keys(configured), ...providerNames]);
  return [...names].filter((name) => findKey(keyVariables(name, configured[name]), env) !== undefined);
}

/** `usual` answers where no flag names one; empty: there is none. */
function chooseModels(
  flags: ProviderFlags,
  configured: ProviderConfig,
  { usual, offered }: { readonly usual: string; readonly offered: readonly string[] },
): ModelChoice {
  const complex = flags.model ?? usual;
  const fast = flags.model ?? configured.model_fast ?? complex;
  const known = new Set([complex, fast, configured.model ?? complex, ...offered]);
  return { fast, complex, known: [...known].filter((name) => name !== "") };
}

function connection(
  provider: string,
  flags: ProviderFlags,
  configured: ProviderConfig,
  env: NodeJS.ProcessEnv,
): Omit<ProviderSettings, "model" | "facts" | "stallMs" | "env"> {
  const variables = keyVariables(provider, configured);
  const custom = flags.baseUrl ?? customUrl(provider, configured, env);
  return {
    provider,
    apiKey: findKey(variables, env)?.value,
    keyVariable: variables[0],
    // A server of the user's own often needs none, and some vendors have other credentials besides.
    keyRequired:
      variables.length > 0 &&
      (configured.api_key_env !== undefined ||
        (custom === undefined && !(isProviderName(provider) && !providers[provider].keyIsEnough))),
    baseUrl: custom ?? (isProviderName(provider) ? providers[provider].defaultUrl : localServers[provider]),
    api: configured.api,
    headers: configured.headers ?? {},
    contextWindow: configured.context_window,
  };
}
