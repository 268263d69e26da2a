// Asks an OpenAI-compatible server which models it has: LM Studio, vLLM, llama.cpp and their like serve what was loaded into them.
import { ProviderError } from "../provider-error.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";

interface ServedModel {
  readonly id: string;
  /** Undefined where the server does not say. */
  readonly contextWindow: number | undefined;
}

const timeLimitMs = 3000;

/** The models that can talk. Throws a ProviderError when the server cannot be asked. */
export async function servedModels(settings: ProviderSettings): Promise<readonly ServedModel[]> {
  const { provider, baseUrl = "", apiKey, headers } = settings;
  const response = await providerFetch(provider, timeLimitMs)(`${baseUrl.replace(/\/+$/, "")}/models`, {
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
    signal: AbortSignal.timeout(timeLimitMs),
  });
  if (!response.ok)
    throw new ProviderError(
      "misconfigured",
      `${provider} does not list its models (it answered ${response.status}): name one.`,
    );
  const { data } = fieldsOf(await response.json());
  return (Array.isArray(data) ? data : []).map(fieldsOf).flatMap((model) => {
    const { id } = model;
    // Models for search are served beside those that talk.
    return typeof id !== "string" || id === "" || /embed|rerank/i.test(id)
      ? []
      : [{ id, contextWindow: windowIn(model) }];
  });
}

/** vLLM, LM Studio and llama.cpp each have their own name for it. What the server loaded counts, not what the model could. */
function windowIn(model: Readonly<Record<string, unknown>>): number | undefined {
  const { n_ctx } = fieldsOf(model.meta);
  const named = [
    model.loaded_context_length,
    model.max_model_len,
    n_ctx,
    model.context_length,
    model.max_context_length,
  ];
  return named.find((value): value is number => typeof value === "number" && value > 0);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
