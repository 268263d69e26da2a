// Compares two texts in slices of a few milliseconds, so that the host does other work during a comparison of megabytes.
import { setImmediate } from "node:timers/promises";
import { type Comparison, compareInSteps } from "@signalbox/protocol/compare-lines";

/** Longer texts (in UTF-16 units, both together) are not compared. */
export const maxComparedLength = 16_000_000;
/** Texts of more lines than this, both together, are not compared either: each line costs memory of its own. */
export const maxComparedLines = 1_000_000;

const sliceMs = 8;

export async function compareTexts(before: string, after: string): Promise<Comparison> {
  const steps = compareInSteps(before, after);
  let sliceStart = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    sliceStart = performance.now();
  }
}
