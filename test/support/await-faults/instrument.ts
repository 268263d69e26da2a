// Makes every `await` of our packages a place that can fail. Loaded with `--import` before the host, and before our agent: each `await` in their sources
// calls `reachAwait` first, which throws when the place is the one that the running scenario wants to fail.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "vite";
import { root } from "../host-process.ts";

const isInstrumented = /\/packages\/(?:host|checkpoints|sandbox|tinyvex|many-machines|agent|agent-kit)\/src\/.*\.ts$/;

/** In files, because the host and its agents are several processes: the place that is wanted, and a line for each place that was reached. */
const folder = process.env.SIGNALBOX_AWAIT_FAULTS ?? "";
const wanted = join(folder, "wanted");
const reached = join(folder, "reached");

/** The place fails the next time it is reached, in any process; null for none. */
export function failAt(place: string | null): void {
  writeFileSync(wanted, place ?? "");
}

export function forgetReached(): void {
  writeFileSync(reached, "");
}

/** The places that were reached since `forgetReached`. */
export function listReached(): readonly string[] {
  return [...new Set(readFileSync(reached, "utf8").split("\n"))].filter((place) => place !== "");
}

Object.assign(globalThis, {
  reachAwait(place: string): void {
    appendFileSync(reached, `${place}\n`);
    if (readFileSync(wanted, "utf8") !== place) return;
    writeFileSync(wanted, "");
    throw new Error(`injected at ${place}`);
  },
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const { source } = loaded;
    if (!isInstrumented.test(url) || source === undefined || source === null) return loaded;
    const text = typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString("utf8");
    return { ...loaded, source: instrumentAwaits(text, relative(root, fileURLToPath(url))) };
  },
});

/** Puts a call of `reachAwait` in front of each thing that is awaited: `await x`, `await using name = x`, `for await (… of x)`. */
function instrumentAwaits(text: string, path: string): string {
  const found: { readonly start: number; readonly end: number }[] = [];
  new Visitor({
    AwaitExpression: (node) => void found.push(node),
    VariableDeclaration({ kind, declarations }) {
      if (kind === "await using") for (const { init } of declarations) if (init !== null) found.push(init);
    },
    ForOfStatement(node) {
      if (node.await) found.push(node.right);
    },
  }).visit(parseSync(path, text).program);
  // From the end, so that the positions before it stay as they are.
  const insertions = found.flatMap(({ start, end }) => {
    const lines = text.slice(0, start).split("\n");
    const place = `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
    return [
      { at: start, inserted: `(reachAwait(${JSON.stringify(place)}), ` },
      { at: end, inserted: ")" },
    ];
  });
  return insertions
    .toSorted((one, other) => other.at - one.at)
    .reduce((result, { at, inserted }) => result.slice(0, at) + inserted + result.slice(at), text);
}
