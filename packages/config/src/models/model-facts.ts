// Declares what the catalogue knows of a model. What is not known is undefined, never a guess.

/** From little to much. */
export const thinkingLevels = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type ThinkingLevel = (typeof thinkingLevels)[number];

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had in its cache. */
  readonly cacheRead: number;
  /** Input that the provider writes to its cache. */
  readonly cacheWrite: number;
}

export interface ModelPrice extends Price {
  /** The price of a whole request that has more input than this, the smallest first. */
  readonly tiers: readonly (Price & { readonly above: number })[];
}

export interface ModelFacts {
  /** Tokens that fit into one request. */
  readonly contextWindow?: number;
  /** Tokens of the longest answer, thoughts included. */
  readonly maxOutputTokens?: number;
  /** Empty: it does not think. */
  readonly thinkingLevels?: readonly ThinkingLevel[];
  readonly seesImages?: boolean;
  readonly readsPdfs?: boolean;
  readonly callsTools?: boolean;
  readonly price?: ModelPrice;
  /** `2026-11-03`, or only year and month. */
  readonly released?: string;
  readonly isDeprecated?: boolean;
}

/** For a request with so much input. */
export function choosePrice({ price }: ModelFacts, inputTokens: number): Price | undefined {
  return price?.tiers.findLast(({ above }) => inputTokens > above) ?? price;
}

/** The level of a model that comes nearest: the wanted one, else the highest below it, else its lowest. Undefined where it has none. */
export function nearestLevel(wanted: ThinkingLevel, levels: readonly ThinkingLevel[]): ThinkingLevel | undefined {
  const rank = (level: ThinkingLevel) => thinkingLevels.indexOf(level);
  return levels.findLast((level) => rank(level) <= rank(wanted)) ?? levels[0];
}
