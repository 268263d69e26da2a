// Which provider and which models a session has: flags first, then config, then the environment. Without any of them it is the demo.
import type { ProviderSettings } from "../providers/provider-settings.ts";
import type { Config } from "./config.ts";
import type { ProviderKeys } from "./config-schema.ts";

/** What the command line said. */
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

export interface ModelChoice {
  readonly fast: string;
  readonly complex: string;
  /** What else can be chosen in this session. */
  readonly known: readonly string[];
}

const usualMaxOutputTokens = 16_384;

interface Vendor {
  readonly keys: readonly string[];
  readonly url?: (env: NodeJS.ProcessEnv) => string | undefined;
  readonly models: readonly string[];
}

/** Environment variables follow each vendor's own convention: some name the host alone, some the whole prefix. */
const vendors: Readonly<Record<string, Vendor>> = {
  openai: {
    keys: ["OPENAI_API_KEY"],
    url: (env) => env.OPENAI_BASE_URL,
    models: ["gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.1", "gpt-4.1"],
  },
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    url: (env) => withPath(env.ANTHROPIC_BASE_URL, "/v1"),
    models: ["claude-sonnet-5", "claude-opus-5", "claude-sonnet-4-5", "claude-haiku-4-5"],
  },
  gemini: {
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    url: (env) => withPath(env.GOOGLE_GEMINI_BASE_URL, "/v1beta"),
    models: ["gemini-pro-latest", "gemini-flash-latest", "gemini-2.5-pro", "gemini-2.5-flash"],
  },
  openrouter: {
    keys: ["OPENROUTER_API_KEY"],
    url: (env) => env.OPENROUTER_BASE_URL,
    models: ["openrouter/auto"],
  },
  // No name: the first model that is installed.
  ollama: { keys: [], url: (env) => withScheme(env.OLLAMA_HOST), models: [""] },
  demo: { keys: [], models: ["demo"] },
};

export function chooseProvider(flags: ProviderFlags, config: Config, env: NodeJS.ProcessEnv): ProviderChoice {
  const [only, ...others] = Object.keys(config.providers);
  const provider = flags.provider ?? config.provider ?? (others.length === 0 ? only : undefined) ?? "demo";
  const keys = config.providers[provider] ?? {};
  const vendor = vendors[provider];
  return {
    provider,
    models: modelsOf(flags, keys, vendor),
    maxOutputTokens: keys.max_output_tokens ?? usualMaxOutputTokens,
    settings: (model) => settingsOf(provider, model, { flags, keys, vendor, env, stallMs: config.limits.stallMs }),
  };
}

function modelsOf(flags: ProviderFlags, keys: ProviderKeys, vendor: Vendor | undefined): ModelChoice {
  const usual = vendor?.models[0] ?? "";
  const complex = flags.model ?? keys.model_complex ?? keys.model ?? usual;
  const fast = flags.model ?? keys.model_fast ?? complex;
  const known = [complex, fast, keys.model ?? complex, ...(vendor?.models ?? [])];
  return { fast, complex, known: [...new Set(known)].filter((name) => name !== "") };
}

interface Said {
  readonly flags: ProviderFlags;
  readonly keys: ProviderKeys;
  readonly vendor: Vendor | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly stallMs: number;
}

function settingsOf(provider: string, model: string, said: Said): ProviderSettings {
  const { flags, keys, vendor, env, stallMs } = said;
  const variables = keys.api_key_env === undefined ? (vendor?.keys ?? []) : [keys.api_key_env];
  const apiKey = variables.map((name) => env[name]).find((value) => value !== undefined && value !== "") ?? null;
  const baseUrl = flags.baseUrl ?? keys.base_url ?? vendor?.url?.(env) ?? null;
  return {
    provider,
    model,
    apiKey,
    keyVariable: variables[0] ?? null,
    // Servers of one's own often want none.
    keyRequired: variables.length > 0 && (baseUrl === null || keys.api_key_env !== undefined),
    baseUrl,
    headers: keys.headers ?? {},
    contextWindow: keys.context_window ?? null,
    stallMs,
  };
}

function withPath(url: string | undefined, path: string): string | undefined {
  if (url === undefined || url === "") return undefined;
  const bare = url.replace(/\/+$/, "");
  return bare.endsWith(path) ? bare : `${bare}${path}`;
}

/** `OLLAMA_HOST` is often only `host:port`, and `0.0.0.0` where it is the server's own setting. */
function withScheme(host: string | undefined): string | undefined {
  if (host === undefined || host === "") return undefined;
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`;
  const reachable = url.replace("://0.0.0.0", "://127.0.0.1");
  return /:\d+\/?$/.test(reachable) || reachable.startsWith("https://") ? reachable : `${reachable}:11434`;
}
