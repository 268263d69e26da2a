// Decides everything random of a run from its seed: which fault comes in which round, when, to whom, and what the agents are told to do. Each part of a
// round has a generator of its own, so that the timing of one part does not change what another one does.

/** A generator of numbers that are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(...seed: readonly (number | string)[]) {
    this.#state = hash(seed.join("/"));
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.between(0, items.length - 1)];
  }

  shuffle<Item>(items: readonly Item[]): readonly Item[] {
    const keyed = items.map((item) => ({ item, key: this.next() }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return value;
}

export interface Round<Kind> {
  readonly number: number;
  readonly kind: Kind;
  /** How long the load runs before the fault, and after it. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** The generator of a part of this round. */
  readonly random: (part: string) => Random;
}

/** The rounds of a seed, without end. Every kind comes once before any comes again, so a short run has them all. */
export function* planRounds<Kind>(seed: number, kinds: readonly Kind[]): Generator<Round<Kind>> {
  for (let number = 0; ; number++) {
    const order = new Random(seed, "order", Math.floor(number / kinds.length)).shuffle(kinds);
    const kind = order[number % kinds.length];
    if (kind === undefined) return;
    const time = new Random(seed, number, "time");
    const random = (part: string) => new Random(seed, number, part);
    yield { number, kind, beforeMs: time.between(100, 1500), afterMs: time.between(300, 1000), random };
  }
}
