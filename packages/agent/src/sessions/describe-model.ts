// Says in one line what is known of a model, for the person who chooses one.
import type { ModelFacts } from "@signalbox/config/models";

export function describeModel({ contextWindow, thinkingLevels, seesImages, price }: ModelFacts): string {
  return [
    contextWindow === undefined ? "window not known" : `${shortCount(contextWindow)} tokens`,
    priceText(price),
    ...(thinkingLevels === undefined ? [] : [thinkingLevels.length > 0 ? "thinks" : "does not think"]),
    ...(seesImages === false ? ["sees no images"] : []),
  ].join(", ");
}

function priceText(price: ModelFacts["price"]): string {
  if (price === undefined) return "price not known";
  const { input, output, tiers } = price;
  if (input === 0 && output === 0) return "free";
  return `$${input} in and $${output} out per million${tiers.length > 0 ? ", more for long requests" : ""}`;
}

function shortCount(count: number): string {
  return count >= 1_000_000 ? `${Number((count / 1_000_000).toFixed(2))}M` : `${Math.round(count / 1000)}k`;
}
