// Makes every `await` of the host's packages a place that can fail. Loaded with `--import` before the host: each `await` in their sources calls
// `reachAwait` first, which throws when the place is the one that the running scenario wants to fail.
import { registerHooks } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../host-process.ts";

const isInstrumented = /\/packages\/(?:host|checkpoints|sandbox|tinyvex|many-machines)\/src\/.*\.ts$/;
/** Where an operand may have `||` in front of it without another meaning. Most awaits stand there. */
const operand = /(?<=^[ ]*|= |return |\(|\[|, |=> |(?<!\?)\? |: )await (?!using )/gm;

/** What the scenario in run.ts sets and reads. */
export const faults = {
  /** The place that fails the next time it is reached; null for none. */
  wanted: null as string | null,
  /** Places that were reached since this was emptied. */
  reached: new Set<string>(),
};

Object.assign(globalThis, {
  reachAwait(place: string): void {
    faults.reached.add(place);
    if (faults.wanted !== place) return;
    faults.wanted = null;
    throw new Error(`injected at ${place}`);
  },
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const { source } = loaded;
    if (!isInstrumented.test(url) || source === undefined || source === null) return loaded;
    const path = relative(root, fileURLToPath(url));
    const text = typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString("utf8");
    const lines = text
      .split("\n")
      .map((line, index) =>
        /^\s*(?:\/\/|\*|\/\*)/.test(line)
          ? line
          : line.replace(operand, `reachAwait(${JSON.stringify(`${path}:${index + 1}`)}) || await `),
      );
    return { ...loaded, source: lines.join("\n") };
  },
});
