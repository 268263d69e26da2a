// The sandbox's C helper, compiled with the system's compiler by the sandbox package itself. A machine without a compiler
// still starts: the sandbox then looks for another way, or refuses commands and says why.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./paths.mjs";
import { printProgress } from "./step.mjs";

export async function ensureHelper() {
  const builder = join(root, "packages/sandbox/native/build.mjs");
  if (process.platform !== "linux" || !existsSync(builder)) return;
  const { buildHelper } = await import(pathToFileURL(builder).href);
  const result = await buildHelper({ log: printProgress });
  if ("missing" in result) printProgress(result.missing);
}
