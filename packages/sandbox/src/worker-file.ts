// Finds the file of a worker: beside the module that starts it, or in the folder of the built program, whose parts lie in a folder below.
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** `name` is the worker's file without its ending, `starter` the `import.meta.url` of the module. */
export function workerFile(name: string, starter: string): URL {
  if (starter.endsWith(".ts")) return new URL(`./${name}.ts`, starter);
  const isPart = basename(dirname(fileURLToPath(starter))) === "chunks";
  return new URL(`${isPart ? ".." : "."}/${name}.js`, starter);
}
