// Asks an OpenAI-compatible server which models it has: LM Studio, vLLM, llama.cpp and their like serve what was loaded into them.
import { ProviderError } from "../provider-error.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";

interface ServedModel {
  readonly id: string;
  /** Undefined where the server does not say. */
  readonly contextWindow: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const timeLimitMs = 3000;

/** The models that can talk, those that are loaded first. Throws a ProviderError when the server cannot be asked. */
export async function servedModels(settings: ProviderSettings): Promise<readonly ServedModel[]> {
  const { provider, baseUrl = "" } = settings;
  const base = baseUrl.replace(/\/+$/, "");
  // The lists of their own are beside OpenAI's.
  const root = base.replace(/\/v1$/, "");
  if (provider === "lmstudio") {
    const listed = await lmStudioModels(settings, root);
    if (listed.length > 0) return listed;
  }
  const response = await ask(settings, `${base}/models`);
  if (!response.ok)
    throw new ProviderError(
      "misconfigured",
      `${provider} does not list its models (it answered ${response.status}): name one.`,
    );
  const { data } = readFields(await response.json());
  const served = readList(data)
    .toSorted((one, other) => Number(isLoaded(other)) - Number(isLoaded(one)))
    .flatMap((model) => talking(model.id, readWindow(model)));
  const [only, another] = served;
  if (provider !== "llamacpp" || only === undefined || another !== undefined || only.contextWindow !== undefined)
    return served;
  return [{ ...only, contextWindow: await llamaWindow(settings, root) }];
}

/** Its OpenAI-compatible list says neither what is loaded nor with which window. Empty where this server is too old for its own list. */
async function lmStudioModels(settings: ProviderSettings, root: string): Promise<readonly ServedModel[]> {
  const now = readList((await requestFields(settings, `${root}/api/v1/models`)).models).filter(
    ({ type }) => type === "llm",
  );
  if (now.length > 0) {
    const loaded = now.flatMap(({ loaded_instances }) => readList(loaded_instances));
    return [
      ...loaded.flatMap(({ id, config }) => talking(id, findNumber([readFields(config).context_length]))),
      ...now
        .filter(({ loaded_instances }) => readList(loaded_instances).length === 0)
        .flatMap(({ key, max_context_length }) => talking(key, findNumber([max_context_length]))),
    ];
  }
  return readList((await requestFields(settings, `${root}/api/v0/models`)).data)
    .filter(({ type }) => type === "llm" || type === "vlm")
    .toSorted((one, other) => Number(isLoaded(other)) - Number(isLoaded(one)))
    .flatMap((model) => talking(model.id, readWindow(model)));
}

/** Older servers name only the window that the model was trained with. */
async function llamaWindow(settings: ProviderSettings, root: string): Promise<number | undefined> {
  const { default_generation_settings } = await requestFields(settings, `${root}/props`);
  return findNumber([readFields(default_generation_settings).n_ctx]);
}

function ask(settings: ProviderSettings, address: string): Promise<Response> {
  const { provider, apiKey, headers } = settings;
  return providerFetch(provider, timeLimitMs)(address, {
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
    signal: AbortSignal.timeout(timeLimitMs),
  });
}

/** Empty where the server has nothing there. */
async function requestFields(settings: ProviderSettings, address: string): Promise<Fields> {
  try {
    const response = await ask(settings, address);
    return response.ok ? readFields(await response.json()) : {};
  } catch {
    // The list that every such server has is asked then, and its error is told.
    return {};
  }
}

/** Models for search are served beside those that talk. */
function talking(id: unknown, contextWindow: number | undefined): readonly ServedModel[] {
  return typeof id !== "string" || id === "" || /embed|rerank/i.test(id) ? [] : [{ id, contextWindow }];
}

function isLoaded({ state, status }: Fields): boolean {
  return state === "loaded" || readFields(status).value === "loaded";
}

/** vLLM, LM Studio and llama.cpp each have their own name for it. What the server loaded counts, not what the model could. */
function readWindow(model: Fields): number | undefined {
  const { n_ctx } = readFields(model.meta);
  return findNumber([
    model.loaded_context_length,
    model.max_model_len,
    n_ctx,
    model.context_length,
    model.max_context_length,
  ]);
}

function findNumber(values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === "number" && value > 0);
}

function readList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(readFields) : [];
}

function readFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
