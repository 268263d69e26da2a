// Reads the numbers that an agent reports about its context and its cost; null where it reports nothing.
import { isJsonObject, type ThreadStateRow } from "@signalbox/protocol";

interface ThreadUsage {
  /** Tokens in the model's context, and how many fit. */
  readonly used: number | null;
  readonly size: number | null;
  /** From 0 to 1. */
  readonly part: number | null;
  readonly cost: { readonly amount: number; readonly currency: string } | null;
  readonly isPriceUnknown: boolean;
}

export function readUsage(state: Pick<ThreadStateRow, "usage"> | null): ThreadUsage {
  const usage = state?.usage ?? null;
  const used = typeof usage?.used === "number" ? usage.used : null;
  const size = typeof usage?.size === "number" && usage.size > 0 ? usage.size : null;
  const cost = isJsonObject(usage?.cost) && typeof usage.cost.amount === "number" ? usage.cost : null;
  return {
    used,
    size,
    part: used !== null && size !== null ? Math.min(1, used / size) : null,
    cost:
      cost === null
        ? null
        : { amount: cost.amount as number, currency: typeof cost.currency === "string" ? cost.currency : "USD" },
    isPriceUnknown: isJsonObject(usage?._meta) && usage._meta["signalbox/price_unknown"] === true,
  };
}
