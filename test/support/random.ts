// Random numbers that are the same for the same seed, so that a run can be repeated.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `limit - 1` (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True so often: 0 is never, 1 is always. */
  chance(probability: number): boolean {
    return this.below(2 ** 30) < probability * 2 ** 30;
  }

  shuffle<Item>(items: readonly Item[]): readonly Item[] {
    const keyed = items.map((item) => ({ item, key: this.below(2 ** 30) }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
  }

  choose<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }
}
