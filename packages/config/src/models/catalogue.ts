// The catalogue of models: what is known of each, from the user's config, from the list that was fetched last, and from the one that comes with
// Signalbox, in this order. A model that none of them lists works too.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderConfig } from "../config-schema.ts";
import { localServers } from "../providers.ts";
import type { ModelFacts, ModelPrice } from "./model-facts.ts";
import { type ModelLists, readModels } from "./models-dev.ts";
import { snapshot } from "./snapshot.ts";

/** Most models of today have at least this. */
export const defaultContextWindow = 128_000;
/** Of models whose limit is not known. */
export const defaultMaxOutputTokens = 16_384;

/** How models.dev names our providers, where it is another name. */
const listedNames: Readonly<Record<string, string>> = {
  gemini: "google",
  bedrock: "amazon-bedrock",
  vertex: "google-vertex",
};

/** Whose models others serve too, under names that end alike. */
const makers = ["anthropic", "openai", "google"] as const;

/** What newer models of a family have at least; the longest beginning of a name decides. They have no price before they are listed. */
const families: Readonly<Record<string, ModelFacts>> = {
  "claude-": { contextWindow: 200_000, maxOutputTokens: 32_000, thinkingLevels: ["low", "medium", "high"] },
  "claude-3": { contextWindow: 200_000, maxOutputTokens: 8192, thinkingLevels: [] },
  "claude-sonnet-4": { contextWindow: 200_000, maxOutputTokens: 64_000, thinkingLevels: ["low", "medium", "high"] },
  "gpt-5.": { contextWindow: 272_000, maxOutputTokens: 128_000, thinkingLevels: ["low", "medium", "high"] },
  "gpt-6": { contextWindow: 272_000, maxOutputTokens: 128_000, thinkingLevels: ["low", "medium", "high"] },
  "gemini-": { contextWindow: 1_048_576, maxOutputTokens: 32_768, thinkingLevels: ["low", "medium", "high"] },
};

const free: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, tiers: [] };
const freeProviders: ReadonlySet<string> = new Set(["ollama", "demo", ...Object.keys(localServers)]);

/** `asOf` is the day on which the list was fetched, or that of the one that comes with Signalbox. */
interface FetchedModels {
  readonly asOf: string;
  readonly url: string;
  readonly models: ModelLists;
}

/** The file in the data folder that `refreshModels` writes. */
export function fetchedModelsFile(dataFolder: string): string {
  return join(dataFolder, "models.json");
}

export class Catalogue {
  readonly #fetched: FetchedModels | undefined;
  readonly #providers: Readonly<Record<string, ProviderConfig>>;

  /** Reads the list that was fetched into the data folder, where there is one. A file that cannot be read is no reason to fail: the list of Signalbox holds. */
  constructor(dataFolder: string | undefined, providers: Readonly<Record<string, ProviderConfig>>) {
    this.#fetched = dataFolder === undefined ? undefined : readFetched(dataFolder);
    this.#providers = providers;
  }

  get asOf(): string {
    return this.#fetched?.asOf ?? snapshot.asOf;
  }

  /** Where the list is from; undefined: it came with Signalbox. */
  get fetchedFrom(): string | undefined {
    return this.#fetched?.url;
  }

  facts(provider: string, model: string): ModelFacts {
    const found = this.#find(listedNames[provider] ?? provider, model) ?? byMaker(model, this.#lists) ?? {};
    return {
      ...found,
      ...(freeProviders.has(provider) && { price: free }),
      ...readFacts(this.#providers[provider]?.models?.[model]),
    };
  }

  /** The models of a provider that can be chosen for work with tools: the user's own, then the newest. */
  names(provider: string): readonly string[] {
    const listed = listedNames[provider] ?? provider;
    const known = Object.entries(this.#fetched?.models[listed] ?? snapshot.models[listed] ?? {})
      .filter(([, { callsTools, isDeprecated }]) => callsTools !== false && isDeprecated !== true)
      .toSorted(([, a], [, b]) => (b.released ?? "").localeCompare(a.released ?? ""));
    const own = Object.keys(this.#providers[provider]?.models ?? {});
    return [...new Set([...own, ...known.map(([name]) => name)])];
  }

  get #lists(): readonly ModelLists[] {
    return this.#fetched === undefined ? [snapshot.models] : [this.#fetched.models, snapshot.models];
  }

  #find(listed: string, model: string): ModelFacts | undefined {
    for (const lists of this.#lists) {
      const models = lists[listed];
      const facts =
        models === undefined ? undefined : (getOwnEntry(models, model) ?? getOwnEntry(models, undated(model)));
      if (facts !== undefined) return facts;
    }
    return undefined;
  }
}

/** What another server has under a name such as `anthropic/claude-sonnet-4.5`, and newer models: the longest beginning of the name decides. The price is their own. */
function byMaker(model: string, all: readonly ModelLists[]): ModelFacts | undefined {
  const name = makersName(model);
  let longest: readonly [name: string, facts: ModelFacts] | undefined;
  for (const models of [...all.flatMap((lists) => makers.map((maker) => lists[maker] ?? {})), families])
    for (const [known, facts] of Object.entries(models))
      if (name.startsWith(known) && known.length > (longest?.[0].length ?? 0)) longest = [known, facts];
  return longest === undefined ? undefined : withoutPrice(longest[1]);
}

function getOwnEntry(models: Readonly<Record<string, ModelFacts>>, name: string): ModelFacts | undefined {
  return Object.hasOwn(models, name) ? models[name] : undefined;
}

/** `claude-sonnet-4-5-20250929` is the model `claude-sonnet-4-5` of that day, with its price. */
function undated(model: string): string {
  return model.replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, "");
}

/** Anthropic's own names have no dots. Bedrock puts the region and the vendor before the name: `us.anthropic.claude-sonnet-4-5`. */
function makersName(model: string): string {
  const last = (model.split("/").at(-1) ?? model).toLowerCase().replace(/^(?:[a-z]+\.){1,2}(?=[a-z])/, "");
  return last.startsWith("claude-") ? last.replaceAll(".", "-") : last;
}

function withoutPrice({ price: _price, ...facts }: ModelFacts): ModelFacts {
  return facts;
}

type OwnModel = NonNullable<ProviderConfig["models"]>[string];

function readFacts(own: OwnModel | undefined): ModelFacts {
  if (own === undefined) return {};
  const { context_window, max_output_tokens, thinking, images, price } = own;
  return {
    ...(context_window !== undefined && { contextWindow: context_window }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(thinking !== undefined && { thinkingLevels: thinking }),
    ...(images !== undefined && { seesImages: images }),
    ...(price !== undefined && {
      price: {
        input: price.input,
        output: price.output,
        cacheRead: price.cache_read ?? price.input,
        cacheWrite: price.cache_write ?? price.input,
        tiers: [],
      },
    }),
  };
}

function readFetched(dataFolder: string): FetchedModels | undefined {
  try {
    const { as_of, url, models } = JSON.parse(readFileSync(fetchedModelsFile(dataFolder), "utf8")) as Record<
      string,
      unknown
    >;
    const lists = readModels(models);
    if (typeof as_of !== "string" || typeof url !== "string" || Object.keys(lists).length === 0) return undefined;
    return { asOf: as_of, url, models: lists };
  } catch {
    return undefined;
  }
}
