// Fuzzes borders: first every input of the corpus, then inputs made from them, for so many seconds each. The same seed tries the same inputs. An input
// that fails is printed with the seed, and becomes a file of the corpus.
// Usage: run.ts [NAME…] [--seconds N] [--seed S]
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../support/random.ts";
import type { Border } from "./border.ts";
import { borders } from "./borders.ts";
import { mutate } from "./mutate.ts";

const corpusFolder = join(import.meta.dirname, "corpus");
/** An input that takes longer holds up everything else in the host. */
const maxMs = 10_000;
const maxShrinks = 300;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "30" }, seed: { type: "string", default: "17" } },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const names = positionals.length === 0 ? Object.keys(borders) : positionals;

/** What would have ended a host. */
const uncaught: unknown[] = [];
process.on("uncaughtException", (error) => uncaught.push(error));
process.on("unhandledRejection", (error) => uncaught.push(error));

/** Gives why the input fails; undefined when every promise is kept. */
async function findFailure(border: Border, input: Buffer): Promise<unknown> {
  const started = performance.now();
  try {
    await border.check(input);
    // Rejections that nothing handles are reported before the next immediate.
    await new Promise((resolve) => setImmediate(resolve));
  } catch (error) {
    return error;
  }
  const took = performance.now() - started;
  return uncaught.splice(0)[0] ?? (took > maxMs ? new Error(`it took ${Math.round(took)} ms`) : undefined);
}

/** Leaves out parts for as long as it still fails. */
async function shrink(border: Border, input: Buffer): Promise<Buffer> {
  let smallest = input;
  let left = maxShrinks;
  for (let size = Math.ceil(input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.length && left > 0; left--) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if ((await findFailure(border, shorter)) === undefined) at += size;
      else smallest = shorter;
    }
  }
  return smallest;
}

async function fuzz(name: string): Promise<boolean> {
  const open = borders[name];
  if (open === undefined)
    throw new Error(`There is no border ${name}. There are: ${Object.keys(borders).join(", ")}, plan.`);
  const folder = mkdtempSync(join(tmpdir(), "signalbox-fuzz-"));
  const border = await open(folder);
  try {
    const files = readdirSync(join(corpusFolder, name)).toSorted();
    const corpus = files.map((file) => readFileSync(join(corpusFolder, name, file)));
    const random = new Random(seed);
    const end = performance.now() + seconds * 1000;
    let count = 0;
    for (let next: Buffer | undefined = corpus[0]; next !== undefined; next = nextInput(count)) {
      const failure = await findFailure(border, next);
      if (failure !== undefined) {
        report(name, { count, failure, input: await shrink(border, next) });
        return false;
      }
      count++;
    }
    console.log(`${name}: ${count} inputs, seed ${seed}`);
    return true;

    function nextInput(index: number): Buffer | undefined {
      return corpus[index] ?? (performance.now() < end ? mutate(random, corpus) : undefined);
    }
  } finally {
    await border.close?.();
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(name: string, { count, failure, input }: { count: number; failure: unknown; input: Buffer }): void {
  const file = join(corpusFolder, name, `found-${createHash("sha256").update(input).digest("hex").slice(0, 12)}`);
  writeFileSync(file, input);
  console.error(failure);
  console.error(
    `${name}: input ${count} with seed ${seed} fails. It is kept as ${file}:\n${JSON.stringify(input.toString("utf8"))}`,
  );
}

let failed = 0;
for (const name of names) if (!(await fuzz(name))) failed++;
process.exit(failed === 0 ? 0 : 1);
