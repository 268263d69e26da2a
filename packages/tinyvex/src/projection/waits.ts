// The times in which something waited for a person, as pairs of a beginning and an end in ms: time in which several questions are open counts once.
import type { Json } from "@signalbox/protocol";

export type Wait = readonly [from: number, until: number];

export function isWait(value: Json): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((time) => typeof time === "number");
}

/** In order, apart from each other, none empty. A clock that was set back makes none. */
export function mergeWaits(waits: readonly Wait[]): readonly Wait[] {
  const union: Wait[] = [];
  for (const [from, until] of waits.filter(([start, end]) => end > start).toSorted(([a], [b]) => a - b)) {
    const last = union.at(-1);
    if (last === undefined || from > last[1]) union.push([from, until]);
    else union[union.length - 1] = [last[0], Math.max(last[1], until)];
  }
  return union;
}

export function sumWaits(waits: readonly Wait[]): number {
  return waits.reduce((sum, [from, until]) => sum + until - from, 0);
}
