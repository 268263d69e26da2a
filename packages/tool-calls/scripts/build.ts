// Builds the package as it is published: JavaScript, types, README, license and a package.json that points at them.
//   node packages/tool-calls/scripts/build.ts     builds into packages/tool-calls/dist, for `npm publish packages/tool-calls/dist`,
//                                                 and writes docs/tool-calls.md from the types
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { renderApi } from "./api-docs.ts";

const packageFolder = resolve(import.meta.dirname, "..");
const root = resolve(packageFolder, "../..");

/** Where the reference that `renderApi` makes is kept. */
export const apiDocs: string = join(root, "docs/tool-calls.md");

export async function build(folder: string): Promise<void> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const project = join(packageFolder, "tsconfig.build.json");
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", folder]);
  await copyFile(join(packageFolder, "README.md"), join(folder, "README.md"));
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  const manifest: Record<string, unknown> = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  delete manifest.private;
  manifest.engines = { node: ">=20.10" };
  manifest.exports = { ".": { types: "./index.d.ts", default: "./index.js" } };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.main) {
  const folder = join(packageFolder, "dist");
  await build(folder);
  await writeFile(apiDocs, await renderApi(folder));
}
