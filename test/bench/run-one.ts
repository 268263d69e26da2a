// Runs one benchmark file in a process of its own and prints each figure as a JSON line.
import { pathToFileURL } from "node:url";
import type { Benchmark } from "./bench.ts";

const file = process.argv[2];
if (file === undefined) throw new Error("usage: run-one.ts FILE");
const module: { default: Benchmark } = await import(pathToFileURL(file).href);
await module.default((figure) => process.stdout.write(`${JSON.stringify(figure)}\n`));
