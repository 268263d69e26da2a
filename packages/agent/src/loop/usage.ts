// Adds up what a session has used: tokens and money.
import { choosePrice, defaultContextWindow } from "@signalbox/config/models";
import type { Model, ModelUsage } from "../providers/model.ts";

export interface UsageTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Older sessions did not count them. */
  readonly cacheWriteTokens?: number;
  /** US dollars; null when some of it has no known price. */
  readonly cost: number | null;
  /** US dollars of what has a known price. Older sessions did not count them apart. */
  readonly knownCost?: number;
  readonly requests: number;
}

export const noUsage: UsageTotals = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0, requests: 0 };

export function withUsage(totals: UsageTotals, usage: ModelUsage, model: Model): UsageTotals {
  const cost = computeCost(usage, model);
  return {
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    cachedTokens: totals.cachedTokens + usage.cachedTokens,
    cacheWriteTokens: (totals.cacheWriteTokens ?? 0) + usage.cacheWriteTokens,
    cost: totals.cost === null || cost === null ? null : totals.cost + cost,
    knownCost: (totals.knownCost ?? totals.cost ?? 0) + (cost ?? 0),
    requests: totals.requests + 1,
  };
}

/** Tokens as ACP counts them in the answer to a prompt: each kind apart, `inputTokens` without those of the cache. */
export interface TurnUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReadTokens: number;
  readonly cachedWriteTokens: number;
}

/** Undefined where no request was made between the two. */
export function subtractUsage(before: UsageTotals, now: UsageTotals): TurnUsage | undefined {
  if (now.requests === before.requests) return undefined;
  const [input, outputTokens] = [now.inputTokens - before.inputTokens, now.outputTokens - before.outputTokens];
  const cachedReadTokens = now.cachedTokens - before.cachedTokens;
  const cachedWriteTokens = (now.cacheWriteTokens ?? 0) - (before.cacheWriteTokens ?? 0);
  return {
    totalTokens: input + outputTokens,
    inputTokens: Math.max(0, input - cachedReadTokens - cachedWriteTokens),
    outputTokens,
    cachedReadTokens,
    cachedWriteTokens,
  };
}

/** US dollars; null where the price is not known. */
export function computeCost(usage: ModelUsage, model: Model): number | null {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, cost } = usage;
  if (cost !== undefined) return cost;
  const price = choosePrice(model.facts, inputTokens);
  if (price === undefined) return null;
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const input = fresh * price.input + cachedTokens * price.cacheRead + cacheWriteTokens * price.cacheWrite;
  return (input + outputTokens * price.output) / 1_000_000;
}

export function chooseWindow(model: Pick<Model, "contextWindow">): number {
  return model.contextWindow ?? defaultContextWindow;
}
