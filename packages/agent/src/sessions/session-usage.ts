// Counts what a session uses, and reports it to the client after every request.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { estimateText, estimateTokens } from "../loop/estimate.ts";
import { chooseWindow, computeCost, noUsage, type UsageTotals, withUsage } from "../loop/usage.ts";
import type { Model, ModelMessage, ModelUsage } from "../providers/model.ts";
import type { StoredUsage } from "./session-records.ts";

export class SessionUsage {
  #totals: UsageTotals;
  /** Tokens of the context as the provider counted them; null before the first count and after the history was replaced. */
  #counted: number | null;
  /** Tokens that came since, as we guess. */
  #since = 0;
  /** Whether the newest request has a known price: then the cost says what it cost. */
  #isPriced = true;

  /** The count that was stored may be older than the messages: a turn whose process was killed has none. */
  constructor(stored: StoredUsage | null, messages: readonly ModelMessage[]) {
    this.#totals = stored ?? noUsage;
    this.#isPriced = this.#totals.cost !== null;
    this.#counted = stored !== null && stored.context > estimateAll(messages) ? stored.context : null;
  }

  get cost(): number | null {
    return this.#totals.cost;
  }

  get stored(): StoredUsage {
    return { ...this.#totals, context: this.#counted ?? 0 };
  }

  add(usage: ModelUsage, model: Model): void {
    this.#totals = withUsage(this.#totals, usage, model);
    this.#isPriced = computeCost(usage, model) !== null;
  }

  /** The whole context was sent with this request. */
  counted({ inputTokens, outputTokens }: ModelUsage): void {
    this.#counted = inputTokens + outputTokens;
    this.#since = 0;
  }

  /** Counts a message that was appended, except the model's own, which its request counts. */
  appended(message: ModelMessage): void {
    if (message.role !== "assistant") this.#since += estimateTokens(message);
  }

  replaced(): void {
    this.#counted = null;
    this.#since = 0;
  }

  contextTokens(system: string, messages: readonly ModelMessage[]): number {
    if (this.#counted !== null) return this.#counted + this.#since;
    return estimateText(system) + estimateAll(messages);
  }

  update(model: Model, used: number): SessionUpdate {
    const { inputTokens, outputTokens, cachedTokens, cost, knownCost = cost ?? 0 } = this.#totals;
    return {
      sessionUpdate: "usage_update",
      used,
      size: chooseWindow(model),
      ...(this.#isPriced && { cost: { amount: knownCost, currency: "USD" } }),
      _meta: {
        "signalbox/tokens": { input: inputTokens, output: outputTokens, cached: cachedTokens },
        ...(cost === null && { "signalbox/price_unknown": true }),
      },
    };
  }
}

function estimateAll(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}
