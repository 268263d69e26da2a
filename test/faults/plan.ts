// Decides everything random of a run from its seed: which fault comes in which round, when, to whom, and what the agents are told to do. Each part of a
// round has a generator of its own, so that the timing of one part does not change what another one does.

import { Random } from "../support/random.ts";

/** A generator for one part of a run. */
function makeRandom(...part: readonly (number | string)[]): Random {
  return new Random(hash(part.join("/")));
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
    const order = makeRandom(seed, "order", Math.floor(number / kinds.length)).shuffle(kinds);
    const kind = order[number % kinds.length];
    if (kind === undefined) return;
    const time = makeRandom(seed, number, "time");
    const random = (part: string) => makeRandom(seed, number, part);
    yield { number, kind, beforeMs: time.between(100, 1500), afterMs: time.between(300, 1000), random };
  }
}
