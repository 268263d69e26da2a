// Builds the package as it is published: JavaScript, types, README, license and a package.json that points at them.
//   node packages/tool-calls/scripts/build.ts     builds into packages/tool-calls/dist, for `npm publish packages/tool-calls/dist`,
//                                                 and writes docs/tool-calls.md from the types
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
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
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--outDir", join(folder, "compiled")]);
  // The rule engine is a package of this workspace only: it goes into a folder of the published one.
  await rename(join(folder, "compiled/rules/src"), join(folder, "rules"));
  for (const name of await readdir(join(folder, "compiled/tool-calls/src"))) {
    await rename(join(folder, "compiled/tool-calls/src", name), join(folder, name));
  }
  await rm(join(folder, "compiled"), { recursive: true });
  await importRulesFrom(folder);
  await copyFile(join(packageFolder, "README.md"), join(folder, "README.md"));
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  const manifest: Manifest = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  delete manifest.private;
  delete manifest.dependencies;
  delete manifest.devDependencies;
  manifest.engines = { node: ">=20.10" };
  manifest.exports = { ".": { types: "./index.d.ts", default: "./index.js" } };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

type Manifest = Record<string, unknown>;

/** Imports of the rule engine by its package name become relative. */
async function importRulesFrom(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(?:js|d\.ts)$/.test(name)) continue;
    const file = join(folder, name);
    const text = await readFile(file, "utf8");
    const rules = join(relative(dirname(file), folder), "rules/index.js");
    const mended = text.replaceAll('"@signalbox/rules"', JSON.stringify(rules.startsWith(".") ? rules : `./${rules}`));
    if (mended !== text) await writeFile(file, mended);
  }
}

if (import.meta.main) {
  const folder = join(packageFolder, "dist");
  await build(folder);
  await writeFile(apiDocs, await renderApi(folder));
}
