// The catalogue of models: context window, longest answer, price, and whether a model thinks. The longest prefix of a name decides. A model that
// is not listed works too: its window is assumed to be `defaultContextWindow`, it is not told to think, and no cost is shown.

interface KnownModel {
  readonly contextWindow: number;
  /** Tokens of the longest answer, thoughts included. */
  readonly maxOutputTokens?: number;
  readonly thinks: boolean;
  readonly price?: Price;
  /** The price of a whole request that has more input than this. */
  readonly longPrice?: Price & { readonly above: number };
}

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  /** Input that the provider had in its cache. */
  readonly cached: number;
  /** Input that the provider writes to its cache. */
  readonly cacheWrite: number;
  readonly output: number;
}

/** Most models of today have at least this. */
export const defaultContextWindow = 128_000;
/** Of models whose limit is not known. */
const defaultMaxOutputTokens = 16_384;

type PriceList = readonly [input: number, cached: number, cacheWrite: number, output: number];

function thinking(
  contextWindow: number,
  maxOutputTokens: number,
  price: PriceList,
  above?: number,
  longPrice?: PriceList,
): KnownModel {
  const long = above === undefined || longPrice === undefined ? {} : { longPrice: { ...priceFrom(longPrice), above } };
  return { contextWindow, maxOutputTokens, thinks: true, price: priceFrom(price), ...long };
}

function plain(contextWindow: number, maxOutputTokens: number, price: PriceList): KnownModel {
  return { ...thinking(contextWindow, maxOutputTokens, price), thinks: false };
}

function priceFrom([input, cached, cacheWrite, output]: PriceList): Price {
  return { input, cached, cacheWrite, output };
}

/** As the providers published them up to November 2026. The names that end with a dash or a dot stand for newer models of a family. */
const models: Readonly<Record<string, KnownModel>> = {
  "claude-": { contextWindow: 200_000, maxOutputTokens: 32_000, thinks: true },
  "claude-3": { contextWindow: 200_000, maxOutputTokens: 8192, thinks: false },
  "claude-sonnet-4": thinking(200_000, 64_000, [3, 0.3, 3.75, 15]),
  "claude-opus-4": thinking(200_000, 32_000, [15, 1.5, 18.75, 75]),
  "gpt-5.": { contextWindow: 272_000, maxOutputTokens: 128_000, thinks: true },
  "gpt-6": { contextWindow: 272_000, maxOutputTokens: 128_000, thinks: true },
  "gemini-": { contextWindow: 1_048_576, maxOutputTokens: 32_768, thinks: true },
  "claude-fable-5": thinking(1_000_000, 128_000, [10, 1, 12.5, 50]),
  "claude-fable-5-1": thinking(1_000_000, 128_000, [10, 0.25, 12.5, 50]),
  "claude-haiku-4-5": thinking(200_000, 64_000, [1, 0.1, 1.25, 5]),
  "claude-haiku-5-5": thinking(1_000_000, 128_000, [0.1, 0.01, 0.125, 0.5], 100_000, [0.5, 0.05, 0.625, 2.5]),
  "claude-opus-4-5": thinking(200_000, 64_000, [5, 0.5, 6.25, 25]),
  "claude-opus-4-6": thinking(1_000_000, 128_000, [5, 0.5, 6.25, 25]),
  "claude-opus-4-7": thinking(1_000_000, 128_000, [5, 0.5, 6.25, 25]),
  "claude-opus-4-8": thinking(1_000_000, 128_000, [5, 0.5, 6.25, 25]),
  "claude-opus-5": thinking(1_000_000, 128_000, [5, 0.5, 6.25, 25]),
  "claude-opus-5-5": thinking(1_000_000, 128_000, [4, 0.2, 5, 20]),
  "claude-sonnet-4-5": thinking(200_000, 64_000, [3, 0.3, 3.75, 15]),
  "claude-sonnet-4-6": thinking(1_000_000, 128_000, [3, 0.3, 3.75, 15]),
  "claude-sonnet-5": thinking(1_000_000, 128_000, [2, 0.2, 2.5, 10]),
  "claude-sonnet-5-5": thinking(1_000_000, 128_000, [2, 0.1, 2.5, 10]),
  "gpt-4.1": plain(1_047_576, 32_768, [2, 0.5, 2, 8]),
  "gpt-4.1-mini": plain(1_047_576, 32_768, [0.4, 0.1, 0.4, 1.6]),
  "gpt-4.1-nano": plain(1_047_576, 32_768, [0.1, 0.025, 0.1, 0.4]),
  "gpt-4o": plain(128_000, 16_384, [2.5, 1.25, 2.5, 10]),
  "gpt-4o-mini": plain(128_000, 16_384, [0.15, 0.075, 0.15, 0.6]),
  "gpt-5": thinking(400_000, 128_000, [1.25, 0.125, 1.25, 10]),
  "gpt-5-mini": thinking(400_000, 128_000, [0.25, 0.025, 0.25, 2]),
  "gpt-5-nano": thinking(400_000, 128_000, [0.05, 0.005, 0.05, 0.4]),
  "gpt-5-pro": thinking(400_000, 128_000, [15, 15, 15, 120]),
  "gpt-5.1": thinking(400_000, 128_000, [1.25, 0.125, 1.25, 10]),
  "gpt-5.2": thinking(400_000, 128_000, [1.75, 0.175, 1.75, 14]),
  "gpt-5.2-pro": thinking(400_000, 128_000, [21, 21, 21, 168]),
  "gpt-5.3-codex": thinking(400_000, 128_000, [1.75, 0.175, 1.75, 14]),
  "gpt-5.3-codex-spark": thinking(128_000, 32_000, [1.75, 0.175, 1.75, 14]),
  "gpt-5.4": thinking(272_000, 128_000, [2.5, 0.25, 2.5, 15], 272_000, [5, 0.5, 5, 22.5]),
  "gpt-5.4-mini": thinking(400_000, 128_000, [0.75, 0.075, 0.75, 4.5]),
  "gpt-5.4-nano": thinking(400_000, 128_000, [0.2, 0.02, 0.2, 1.25]),
  "gpt-5.4-pro": thinking(1_050_000, 128_000, [30, 30, 30, 180], 272_000, [60, 60, 60, 270]),
  "gpt-5.5": thinking(272_000, 128_000, [5, 0.5, 5, 30], 272_000, [10, 1, 10, 45]),
  "gpt-5.5-pro": thinking(1_050_000, 128_000, [30, 30, 30, 180], 272_000, [60, 60, 60, 270]),
  "gpt-5.6-luna": thinking(272_000, 128_000, [0.2, 0.02, 0.25, 1.2], 272_000, [0.4, 0.04, 0.5, 1.8]),
  "gpt-5.6-sol": thinking(272_000, 128_000, [4, 0.4, 5, 20], 272_000, [8, 0.8, 10, 30]),
  "gpt-5.6-terra": thinking(272_000, 128_000, [2, 0.2, 2.5, 12], 272_000, [4, 0.4, 5, 18]),
  "gpt-6-astra": thinking(272_000, 128_000, [10, 1, 12.5, 50], 272_000, [20, 2, 25, 75]),
  "gpt-6-luna": thinking(272_000, 128_000, [0.1, 0.01, 0.125, 0.5], 272_000, [0.2, 0.02, 0.25, 0.75]),
  "gpt-6-sol": thinking(272_000, 128_000, [2, 0.2, 2.5, 10], 272_000, [4, 0.4, 5, 15]),
  "gpt-6.1-sol": thinking(272_000, 128_000, [2, 0.1, 2.5, 10], 272_000, [4, 0.2, 5, 15]),
  "gpt-6.1-terra": thinking(272_000, 128_000, [1, 0.05, 1.25, 5], 272_000, [2, 0.1, 2.5, 7.5]),
  o3: thinking(200_000, 100_000, [2, 0.5, 2, 8]),
  "o3-mini": thinking(200_000, 100_000, [1.1, 0.55, 1.1, 4.4]),
  "o3-pro": thinking(200_000, 100_000, [20, 20, 20, 80]),
  "o4-mini": thinking(200_000, 100_000, [1.1, 0.275, 1.1, 4.4]),
  "gemini-2.5-flash": thinking(1_048_576, 65_536, [0.3, 0.03, 0.3, 2.5]),
  "gemini-2.5-flash-lite": thinking(1_048_576, 65_536, [0.1, 0.01, 0.1, 0.4]),
  "gemini-2.5-pro": thinking(1_048_576, 65_536, [1.25, 0.125, 1.25, 10], 200_000, [2.5, 0.25, 2.5, 15]),
  "gemini-3-flash-preview": thinking(1_048_576, 65_536, [0.5, 0.05, 0.5, 3]),
  "gemini-3.1-flash-lite": thinking(1_048_576, 65_536, [0.25, 0.025, 0.25, 1.5]),
  "gemini-3.1-flash-lite-preview": thinking(1_048_576, 65_536, [0.25, 0.025, 0.25, 1.5]),
  "gemini-3.1-pro-preview": thinking(1_048_576, 65_536, [2, 0.2, 2, 12], 200_000, [4, 0.4, 4, 18]),
  "gemini-3.5-flash": thinking(1_048_576, 65_536, [1.5, 0.15, 1.5, 9]),
  "gemini-3.5-flash-lite": thinking(1_048_576, 65_536, [0.3, 0.03, 0.3, 2.5]),
  "gemini-3.6-flash": thinking(1_048_576, 65_536, [0.75, 0.075, 0.75, 3.75]),
  "gemini-3.7-flash": thinking(1_048_576, 65_536, [0.75, 0.075, 0.75, 3.75]),
  "gemini-3.8-flash": thinking(1_048_576, 65_536, [0.75, 0.075, 0.75, 3.75]),
  "gemini-4-argon": thinking(1_048_576, 32_768, [2, 0.1, 2, 10]),
  "gemini-flash-latest": thinking(1_048_576, 65_536, [1.5, 0.15, 1.5, 9]),
  "gemini-flash-lite-latest": thinking(1_048_576, 65_536, [0.25, 0.025, 0.25, 1.5]),
  "gemini-pro-latest": thinking(1_048_576, 65_536, [2, 0.2, 2, 12], 200_000, [4, 0.4, 4, 18]),
};

export function contextWindowOf(model: string): number | undefined {
  return known(model)?.contextWindow;
}

export function maxOutputTokensOf(model: string): number {
  return known(model)?.maxOutputTokens ?? defaultMaxOutputTokens;
}

/** Undefined where it is not known. */
export function thinks(model: string): boolean | undefined {
  return known(model)?.thinks;
}

/** Whether it is trained to change files by patches: OpenAI's models since GPT-4.1. */
export function writesPatches(model: string): boolean {
  return /^(?:gpt-4\.1|gpt-[5-9]|o[3-9]|codex)/.test(nameOf(model));
}

/** For a request with so much input. Null where it is not known: another provider may have another price for the same model, or tell the cost itself. */
export function priceOf(provider: string, model: string, inputTokens: number): Price | null {
  if (provider === "ollama" || provider === "demo") return free;
  if (!pricedProviders.has(provider)) return null;
  const { price, longPrice } = known(model) ?? {};
  return (longPrice !== undefined && inputTokens > longPrice.above ? longPrice : price) ?? null;
}

const pricedProviders: ReadonlySet<string> = new Set(["openai", "anthropic", "gemini"]);
const free: Price = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

/** The name as the catalogue has it. */
function nameOf(model: string): string {
  // A routed name such as `anthropic/claude-sonnet-4.5` is known by its last part, and Anthropic's own names have no dots.
  // Bedrock puts the region and the vendor before it: `us.anthropic.claude-sonnet-4-5`.
  const last = (model.split("/").at(-1) ?? model).toLowerCase().replace(/^(?:[a-z]+\.){1,2}(?=[a-z])/, "");
  return last.startsWith("claude-") ? last.replaceAll(".", "-") : last;
}

function known(model: string): KnownModel | undefined {
  const name = nameOf(model);
  const best = Object.keys(models)
    .filter((prefix) => name.startsWith(prefix))
    .reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), "");
  return models[best];
}
