// Formats the known facts about models: context window, longest answer, prices, thinking levels.
import type { ModelFacts } from "@signalbox/config/models";
import { count } from "@signalbox/protocol/sizes";
import type { Layout } from "./layout.ts";
import { formatTable } from "./table.ts";

interface ModelEntry extends ModelFacts {
  readonly provider: string;
  readonly model: string;
}

/** A value that is not known is shown as `?`. */
export function formatModels(models: readonly ModelEntry[], layout: Layout): string {
  return formatTable<ModelEntry>(
    models,
    [
      { heading: "MODEL", cell: ({ provider, model }) => `${provider}:${model}`, paint: (_row, paint) => paint.cyan },
      { heading: "WINDOW", cell: ({ contextWindow }) => formatTokens(contextWindow), align: "right" },
      { heading: "OUTPUT", cell: ({ maxOutputTokens }) => formatTokens(maxOutputTokens), align: "right", dropOrder: 4 },
      { heading: "IN", cell: ({ price }) => formatDollars(price?.input), align: "right" },
      { heading: "OUT", cell: ({ price }) => formatDollars(price?.output), align: "right" },
      { heading: "CACHE READ", cell: ({ price }) => formatDollars(price?.cacheRead), align: "right", dropOrder: 6 },
      { heading: "WRITE", cell: ({ price }) => formatDollars(price?.cacheWrite), align: "right", dropOrder: 6 },
      { heading: "IMAGES", cell: ({ seesImages }) => formatYesOrNo(seesImages), dropOrder: 5 },
      { heading: "THINKING", cell: formatThinkingLevels, dropOrder: 3, minWidth: 8 },
    ],
    layout,
  );
}

function formatTokens(value: number | undefined): string {
  return value === undefined ? "?" : count(value);
}

function formatDollars(value: number | undefined): string {
  return value === undefined ? "?" : `$${value}`;
}

function formatYesOrNo(value: boolean | undefined): string {
  return value === undefined ? "?" : value ? "yes" : "no";
}

function formatThinkingLevels({ thinkingLevels }: ModelEntry): string {
  return thinkingLevels === undefined ? "?" : thinkingLevels.join(" ") || "no";
}
