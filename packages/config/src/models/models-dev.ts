// Reads lists of models in the format of https://models.dev/api.json. What is missing or wrong in an entry is not known; the rest of it counts.

import { type Fields, readFields } from "@signalbox/rules";
import { type ModelFacts, type ModelPrice, type Price, type ThinkingLevel, thinkingLevels } from "./model-facts.ts";

/** Provider, as models.dev names it, to model to facts. */
export type ModelLists = Readonly<Record<string, Readonly<Record<string, ModelFacts>>>>;

/** Only models that write text. */
export function readModels(json: unknown): ModelLists {
  const lists = Object.entries(readFields(json)).map(([provider, entry]) => {
    const models = Object.entries(readFields(readFields(entry).models)).map(
      ([id, model]) => [id, readFields(model)] as const,
    );
    const writing = models.filter(([, { modalities }]) => writesText(readFields(modalities)));
    return [provider, Object.fromEntries(writing.map(([id, model]) => [id, parseFacts(model)]))] as const;
  });
  return Object.fromEntries(lists.filter(([, models]) => Object.keys(models).length > 0));
}

/** The part of the format that `readModels` uses, so that a kept list is small. */
export function withoutTheRest(json: unknown): object {
  const lists = Object.entries(readFields(json)).map(([provider, entry]) => {
    const models = Object.entries(readFields(readFields(entry).models)).map(([id, model]) => {
      const { reasoning, reasoning_options, tool_call, modalities, cost, limit, release_date, status } =
        readFields(model);
      return [id, { reasoning, reasoning_options, tool_call, modalities, cost, limit, release_date, status }] as const;
    });
    return [provider, { models: Object.fromEntries(models) }] as const;
  });
  return Object.fromEntries(lists);
}

function writesText({ output }: Fields): boolean {
  return !Array.isArray(output) || output.includes("text");
}

function parseFacts(model: Fields): ModelFacts {
  const limit = readFields(model.limit);
  const { input } = readFields(model.modalities);
  const price = parsePrice(readFields(model.cost));
  const levels = parseLevels(model);
  return {
    ...defined("contextWindow", positive(limit.input) ?? positive(limit.context)),
    ...defined("maxOutputTokens", positive(limit.output)),
    ...defined("thinkingLevels", levels),
    ...(Array.isArray(input) && { seesImages: input.includes("image"), readsPdfs: input.includes("pdf") }),
    ...defined("callsTools", toolCalls(model.tool_call)),
    ...defined("price", price),
    ...defined("released", typeof model.release_date === "string" ? model.release_date : undefined),
    ...(model.status === "deprecated" && { isDeprecated: true }),
  };
}

function toolCalls(value: unknown): boolean | undefined {
  const { supported = value } = readFields(value);
  return typeof supported === "boolean" ? supported : undefined;
}

/** A model whose levels are not listed has the three that every provider knows. */
function parseLevels({ reasoning, reasoning_options }: Fields): readonly ThinkingLevel[] | undefined {
  if (typeof reasoning !== "boolean") return undefined;
  if (!reasoning) return [];
  const options = (Array.isArray(reasoning_options) ? reasoning_options : [reasoning_options]).map(readFields);
  const efforts = options.find(({ type }) => type === "effort")?.values;
  const named = Array.isArray(efforts) ? thinkingLevels.filter((level) => efforts.includes(level)) : [];
  return named.length > 0 ? named : ["low", "medium", "high"];
}

function parsePrice(cost: Fields): ModelPrice | undefined {
  const price = onePrice(cost);
  if (price === undefined) return undefined;
  const over200k = { ...readFields(cost.context_over_200k), tier: { size: 200_000 } };
  const listed = Array.isArray(cost.tiers) ? cost.tiers : [over200k];
  const tiers = listed.map(readFields).flatMap((tier) => {
    const above = positive(readFields(tier.tier).size) ?? positive(readFields(tier.context).min);
    const higher = onePrice(tier);
    return above === undefined || higher === undefined ? [] : [{ ...higher, above }];
  });
  return { ...price, tiers: tiers.toSorted((a, b) => a.above - b.above) };
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 1e6;
}

/** Where a provider has no price of its own for its cache, it is that of other input. */
function onePrice({ input, output, cache_read = input, cache_write = input }: Fields): Price | undefined {
  if (![input, output, cache_read, cache_write].every(isPrice)) return undefined;
  return { input, output, cacheRead: cache_read, cacheWrite: cache_write } as Price;
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function defined<Key extends keyof ModelFacts>(key: Key, value: ModelFacts[Key] | undefined): ModelFacts {
  return value === undefined ? {} : { [key]: value };
}
