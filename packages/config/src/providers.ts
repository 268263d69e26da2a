// The table of model providers: where each one's key and address come from. Agent, set-up page and sandbox environment read it.

export interface Provider {
  readonly label: string;
  /** Answers where no model is named. Undefined: what there is differs from account to account, or from machine to machine. */
  readonly usualModel: string | undefined;
  /** Environment variables that may hold the key, in the order they are tried. Empty: no key is needed. */
  readonly keyVariables: readonly string[];
  /** How the vendor's keys begin, where that tells them from those of others. Undefined: it does not. */
  readonly keyPrefix: string | undefined;
  /** Further variables of this vendor that hold a secret. We do not use them; commands must not see them either. */
  readonly otherSecrets: readonly string[];
  /**
   * False where more than a key is needed (an address or a region, and the name of a model), or where credentials that the vendor's own tools keep
   * do as well. The key is then asked for only if the config lists the provider.
   */
  readonly keyIsEnough: boolean;
  /** The full prefix of the vendor's own API. Undefined: there is no API, or it depends on the account. */
  readonly defaultUrl: string | undefined;
  /** The environment variable with another address, in the form that the vendor's own tools expect. */
  readonly urlVariable: UrlVariable | undefined;
  /** A request that costs nothing and is answered only with a valid key. Undefined: no key is needed. */
  readonly keyRequest: KeyRequest | undefined;
}

interface KeyRequest {
  /** Below the address of the API. */
  readonly path: string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** `prefix`: the full prefix. `host`: without the path. `ollama`: a host, with or without scheme and port. */
type UrlVariable =
  | { readonly name: string; readonly form: "prefix" | "ollama" }
  | { readonly name: string; readonly form: "host"; readonly path: string };

/** In the order in which lists show them, and in which the first with a key is looked for. */
export const providers = {
  anthropic: {
    label: "Anthropic",
    usualModel: "claude-sonnet-5-5",
    keyVariables: ["ANTHROPIC_API_KEY"],
    keyPrefix: "sk-ant-",
    otherSecrets: ["ANTHROPIC_AUTH_TOKEN"],
    keyIsEnough: true,
    defaultUrl: "https://api.anthropic.com/v1",
    urlVariable: { name: "ANTHROPIC_BASE_URL", form: "host", path: "/v1" },
    keyRequest: {
      path: "/models?limit=1",
      headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    },
  },
  openai: {
    label: "OpenAI",
    usualModel: "gpt-6.1-sol",
    keyVariables: ["OPENAI_API_KEY"],
    keyPrefix: "sk-",
    otherSecrets: [],
    keyIsEnough: true,
    defaultUrl: "https://api.openai.com/v1",
    urlVariable: { name: "OPENAI_BASE_URL", form: "prefix" },
    keyRequest: { path: "/models", headers: bearer },
  },
  gemini: {
    label: "Gemini",
    usualModel: "gemini-pro-latest",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyPrefix: "AIza",
    otherSecrets: [],
    keyIsEnough: true,
    defaultUrl: "https://generativelanguage.googleapis.com/v1beta",
    urlVariable: { name: "GOOGLE_GEMINI_BASE_URL", form: "host", path: "/v1beta" },
    keyRequest: { path: "/models?pageSize=1", headers: (key) => ({ "x-goog-api-key": key }) },
  },
  openrouter: {
    label: "OpenRouter",
    usualModel: "openrouter/auto",
    keyVariables: ["OPENROUTER_API_KEY"],
    keyPrefix: "sk-or-",
    otherSecrets: [],
    keyIsEnough: true,
    defaultUrl: "https://openrouter.ai/api/v1",
    urlVariable: { name: "OPENROUTER_BASE_URL", form: "prefix" },
    // Its list of models needs no key.
    keyRequest: { path: "/key", headers: bearer },
  },
  ollama: {
    label: "Ollama",
    usualModel: undefined,
    keyVariables: [],
    keyPrefix: undefined,
    otherSecrets: [],
    keyIsEnough: true,
    defaultUrl: "http://127.0.0.1:11434",
    urlVariable: { name: "OLLAMA_HOST", form: "ollama" },
    keyRequest: undefined,
  },
  azure: {
    label: "Azure OpenAI",
    usualModel: undefined,
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    keyPrefix: undefined,
    otherSecrets: [],
    keyIsEnough: false,
    defaultUrl: undefined,
    urlVariable: { name: "AZURE_OPENAI_ENDPOINT", form: "host", path: "/openai/v1" },
    keyRequest: { path: "/models", headers: (key) => ({ "api-key": key }) },
  },
  bedrock: {
    label: "Amazon Bedrock",
    usualModel: undefined,
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    keyPrefix: undefined,
    otherSecrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    keyIsEnough: false,
    defaultUrl: undefined,
    urlVariable: { name: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", form: "prefix" },
    keyRequest: undefined,
  },
  vertex: {
    label: "Google Vertex AI",
    usualModel: undefined,
    // Its credentials are a file.
    keyVariables: [],
    keyPrefix: undefined,
    otherSecrets: ["GOOGLE_APPLICATION_CREDENTIALS"],
    keyIsEnough: false,
    defaultUrl: undefined,
    urlVariable: undefined,
    keyRequest: undefined,
  },
  demo: {
    label: "Demo",
    usualModel: "demo",
    keyVariables: [],
    keyPrefix: undefined,
    otherSecrets: [],
    keyIsEnough: true,
    defaultUrl: undefined,
    urlVariable: undefined,
    keyRequest: undefined,
  },
} as const satisfies Readonly<Record<string, Provider>>;

export type ProviderName = keyof typeof providers;

export const providerNames = Object.keys(providers) as readonly ProviderName[];

/** Servers of the user's own that speak OpenAI's chat completions, with the address that they have on this machine unless the config names another. */
export const localServers: Readonly<Record<string, string>> = {
  lmstudio: "http://127.0.0.1:1234/v1",
  vllm: "http://127.0.0.1:8000/v1",
  llamacpp: "http://127.0.0.1:8080/v1",
};

/** Every name that needs no entry in the config. */
export const providerChoices: readonly string[] = [...providerNames, ...Object.keys(localServers)];

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys of `providers.<name>` that this file needs. */
interface ProviderSettings {
  readonly api_key_env?: string | undefined;
  readonly base_url?: string | undefined;
}

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name);
}

/** The variables that may hold the key of a provider, ours or the user's own: the configured one alone, else the vendor's. */
export function keyVariables(name: string, { api_key_env }: ProviderSettings = {}): readonly string[] {
  if (api_key_env !== undefined) return [api_key_env];
  return isProviderName(name) ? providers[name].keyVariables : [];
}

/** How a key begins that belongs in this variable; undefined where nothing is known of it. */
export function findKeyPrefix(variable: string): string | undefined {
  const vendors: readonly Provider[] = Object.values(providers);
  return vendors.find((provider) => provider.keyVariables.includes(variable))?.keyPrefix;
}

/** The first of the variables that is set, with its value. An empty value counts as not set. */
export function findKey(
  variables: readonly string[],
  env: Environment,
): { readonly variable: string; readonly value: string } | undefined {
  for (const variable of variables) {
    const value = env[variable];
    if (value !== undefined && value !== "") return { variable, value };
  }
  return undefined;
}

/** The providers that a key is asked for, the first of which with a key answers unless the config names one. */
export function providersByKey(configured: Readonly<Record<string, ProviderSettings>>): readonly ProviderName[] {
  return providerNames.filter(
    (name) =>
      keyVariables(name, configured[name]).length > 0 &&
      (providers[name].keyIsEnough || Object.hasOwn(configured, name)),
  );
}

/** The provider that answers where no flag names one: the config's, the only one it lists, else the first whose key is set. Undefined: there is none. */
export function chosenProvider(
  config: { readonly provider?: string | undefined; readonly providers: Readonly<Record<string, ProviderSettings>> },
  env: Environment,
): string | undefined {
  const [only, ...others] = Object.keys(config.providers);
  if (config.provider !== undefined) return config.provider;
  if (only !== undefined && others.length === 0) return only;
  const withKey = providersByKey(config.providers).find(
    (name) => findKey(keyVariables(name, config.providers[name]), env) !== undefined,
  );
  return withKey ?? (env.OLLAMA_HOST ? "ollama" : undefined);
}

/** The model of a provider that answers where no flag and no session names one; a fast model may answer simple prompts. Empty: there is none. */
export function findUsualModel(
  provider: string,
  { model, model_complex }: { readonly model?: string | undefined; readonly model_complex?: string | undefined } = {},
): string {
  return model_complex ?? model ?? (isProviderName(provider) ? providers[provider].usualModel : undefined) ?? "";
}

/** What to do where no provider was chosen and no key is set. */
export const noProvider = `No model is set up. Set a key in the environment (${providersByKey({})
  .map((name) => providers[name].keyVariables[0])
  .join(", ")}), paste one on the page, or set "provider" in config.json, for example to "ollama".`;

/** The address that config or environment name in place of the vendor's own, as a full prefix. Undefined: none is named. */
export function customUrl(name: string, { base_url }: ProviderSettings, env: Environment): string | undefined {
  if (base_url !== undefined) return base_url;
  const variable = isProviderName(name) ? providers[name].urlVariable : undefined;
  const value = variable === undefined ? undefined : env[variable.name];
  if (variable === undefined || value === undefined || value === "") return undefined;
  switch (variable.form) {
    case "prefix":
      return value;
    case "host":
      return withPath(value, variable.path);
    case "ollama":
      return ollamaUrl(value);
  }
}

function withPath(url: string, path: string): string {
  const trimmed = url.replace(/\/+$/, "");
  return trimmed.endsWith(path) ? trimmed : `${trimmed}${path}`;
}

/** `OLLAMA_HOST` is often only `host:port`, and `0.0.0.0` where it is the server's own setting. */
function ollamaUrl(host: string): string {
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`;
  const reachable = url.replace("://0.0.0.0", "://127.0.0.1");
  return /:\d+\/?$/.test(reachable) || reachable.startsWith("https://") ? reachable : `${reachable}:11434`;
}

/** Every variable of the table that holds a secret. */
export const vendorSecrets: readonly string[] = Object.values(providers).flatMap((provider) => [
  ...provider.keyVariables,
  ...provider.otherSecrets,
]);
