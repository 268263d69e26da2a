// Prints what is known of models: window, longest answer, price, thinking.
import type { ModelFacts } from "@signalbox/config/models";
import { count } from "@signalbox/protocol/sizes";
import type { Layout } from "./layout.ts";
import { table } from "./table.ts";

interface ModelEntry extends ModelFacts {
  readonly provider: string;
  readonly model: string;
}

/** `?`: not known. */
export function modelsReport(models: readonly ModelEntry[], layout: Layout): string {
  return table<ModelEntry>(
    models,
    [
      { heading: "MODEL", cell: ({ provider, model }) => `${provider}:${model}`, paint: (_row, paint) => paint.cyan },
      { heading: "WINDOW", cell: ({ contextWindow }) => countOf(contextWindow), align: "right" },
      { heading: "OUTPUT", cell: ({ maxOutputTokens }) => countOf(maxOutputTokens), align: "right", dropOrder: 4 },
      { heading: "IN", cell: ({ price }) => dollars(price?.input), align: "right" },
      { heading: "OUT", cell: ({ price }) => dollars(price?.output), align: "right" },
      { heading: "CACHE READ", cell: ({ price }) => dollars(price?.cacheRead), align: "right", dropOrder: 6 },
      { heading: "WRITE", cell: ({ price }) => dollars(price?.cacheWrite), align: "right", dropOrder: 6 },
      { heading: "IMAGES", cell: ({ seesImages }) => yesOrNo(seesImages), dropOrder: 5 },
      { heading: "THINKING", cell: levels, dropOrder: 3, minWidth: 8 },
    ],
    layout,
  );
}

function countOf(value: number | undefined): string {
  return value === undefined ? "?" : count(value);
}

function dollars(value: number | undefined): string {
  return value === undefined ? "?" : `$${value}`;
}

function yesOrNo(value: boolean | undefined): string {
  return value === undefined ? "?" : value ? "yes" : "no";
}

function levels({ thinkingLevels }: ModelEntry): string {
  return thinkingLevels === undefined ? "?" : thinkingLevels.join(" ") || "no";
}
