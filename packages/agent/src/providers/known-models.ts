// Lists context windows and prices of models that many people use. The longest prefix of the name decides. A model that is not listed
// works too: its window is assumed to be `defaultContextWindow`, and no cost is shown.

interface KnownModel {
  readonly contextWindow: number;
  readonly price?: Price;
}

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  /** Input that the provider had in its cache. */
  readonly cached: number;
  readonly output: number;
}

/** Most models of today have at least this. */
export const defaultContextWindow = 128_000;

/** Prices as the providers published them in November 2025. Newer models have none here yet. */
const models: Readonly<Record<string, KnownModel>> = {
  "claude-": { contextWindow: 200_000 },
  "claude-3-haiku": { contextWindow: 200_000, price: { input: 0.25, cached: 0.03, output: 1.25 } },
  "claude-haiku-4-5": { contextWindow: 200_000, price: { input: 1, cached: 0.1, output: 5 } },
  "claude-sonnet-4": { contextWindow: 200_000, price: { input: 3, cached: 0.3, output: 15 } },
  "claude-sonnet-4-6": { contextWindow: 200_000 },
  "claude-opus-4": { contextWindow: 200_000, price: { input: 15, cached: 1.5, output: 75 } },
  "claude-opus-4-5": { contextWindow: 200_000, price: { input: 5, cached: 0.5, output: 25 } },
  "claude-opus-4-6": { contextWindow: 200_000 },
  "claude-opus-4-7": { contextWindow: 200_000 },
  "claude-opus-4-8": { contextWindow: 200_000 },
  "gpt-4o": { contextWindow: 128_000, price: { input: 2.5, cached: 1.25, output: 10 } },
  "gpt-4o-mini": { contextWindow: 128_000, price: { input: 0.15, cached: 0.075, output: 0.6 } },
  "gpt-4.1": { contextWindow: 1_047_576, price: { input: 2, cached: 0.5, output: 8 } },
  "gpt-4.1-mini": { contextWindow: 1_047_576, price: { input: 0.4, cached: 0.1, output: 1.6 } },
  "gpt-4.1-nano": { contextWindow: 1_047_576, price: { input: 0.1, cached: 0.025, output: 0.4 } },
  "gpt-5": { contextWindow: 400_000, price: { input: 1.25, cached: 0.125, output: 10 } },
  "gpt-5-mini": { contextWindow: 400_000, price: { input: 0.25, cached: 0.025, output: 2 } },
  "gpt-5-nano": { contextWindow: 400_000, price: { input: 0.05, cached: 0.005, output: 0.4 } },
  "gpt-5-pro": { contextWindow: 400_000 },
  "gpt-5.": { contextWindow: 400_000 },
  "gpt-5.1": { contextWindow: 400_000, price: { input: 1.25, cached: 0.125, output: 10 } },
  "gpt-6": { contextWindow: 400_000 },
  o3: { contextWindow: 200_000, price: { input: 2, cached: 0.5, output: 8 } },
  "o3-mini": { contextWindow: 200_000, price: { input: 1.1, cached: 0.55, output: 4.4 } },
  "o4-mini": { contextWindow: 200_000, price: { input: 1.1, cached: 0.275, output: 4.4 } },
  "gemini-": { contextWindow: 1_048_576 },
  "gemini-2.5-flash": { contextWindow: 1_048_576, price: { input: 0.3, cached: 0.03, output: 2.5 } },
  "gemini-2.5-flash-lite": { contextWindow: 1_048_576, price: { input: 0.1, cached: 0.01, output: 0.4 } },
};

export function contextWindowOf(model: string): number | undefined {
  return known(model)?.contextWindow;
}

/** Null where it is not known: another provider may have another price for the same model, or tell the cost itself. */
export function priceOf(provider: string, model: string): Price | null {
  if (provider === "ollama" || provider === "demo") return free;
  return pricedProviders.has(provider) ? (known(model)?.price ?? null) : null;
}

const pricedProviders: ReadonlySet<string> = new Set(["openai", "anthropic", "gemini"]);
const free: Price = { input: 0, cached: 0, output: 0 };

function known(model: string): KnownModel | undefined {
  // A routed name such as `anthropic/claude-sonnet-4.5` is known by its last part.
  const name = (model.split("/").at(-1) ?? model).toLowerCase();
  const best = Object.keys(models)
    .filter((prefix) => name.startsWith(prefix))
    .reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), "");
  return models[best];
}
