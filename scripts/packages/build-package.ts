// Builds a package of the workspace as it is published: JavaScript, types, README, license and a package.json that points at them.
//   node scripts/packages/build-package.ts protocol client react     builds each into its folder dist, for `npm publish packages/NAME/dist`
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../..");

interface Manifest {
  private?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  exports: Record<string, string>;
  engines?: Record<string, string>;
  [key: string]: unknown;
}

/** Packages of this workspace only: each goes into a folder of the published one that needs it. */
const unpublished = ["base", "rules"];

/** `folder` is emptied first. Throws what the compiler says. */
export async function buildPackage(name: string, folder: string): Promise<void> {
  const packageFolder = join(root, "packages", name);
  const compiled = join(folder, "compiled");
  await rm(folder, { recursive: true, force: true });
  await mkdir(compiled, { recursive: true });
  const manifest: Manifest = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const inside = unpublished.filter((each) => manifest.dependencies?.[`@signalbox/${each}`] !== undefined);
  const sources = inside.map((each) => join(root, "packages", each, "src"));
  await compile(packageFolder, compiled, sources);
  await moveInto(folder, join(compiled, ...(inside.length > 0 ? [name, "src"] : [])));
  for (const each of inside) {
    await rename(join(compiled, each, "src"), join(folder, each));
    await importFromFolder(folder, each);
  }
  await rm(compiled, { recursive: true });
  await copyFile(join(packageFolder, "README.md"), join(folder, "README.md"));
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`);
}

function published({ private: _private, devDependencies: _devDependencies, ...manifest }: Manifest): object {
  const dependencies = Object.entries(manifest.dependencies ?? {}).filter(
    ([name]) => !unpublished.some((each) => name === `@signalbox/${each}`),
  );
  delete manifest.dependencies;
  const exports = Object.entries(manifest.exports).map(([path, source]) => {
    const file = source.replace("./src/", "./").replace(/\.ts$/, "");
    return [path, { types: `${file}.d.ts`, default: `${file}.js` }];
  });
  return {
    ...manifest,
    exports: Object.fromEntries(exports),
    ...(dependencies.length === 0 ? {} : { dependencies: Object.fromEntries(dependencies) }),
    engines: { node: ">=20.10" },
  };
}

async function compile(packageFolder: string, folder: string, inside: readonly string[]): Promise<void> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const project = join(dirname(folder), "tsconfig.json");
  const config = {
    extends: join(packageFolder, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      rootDir: inside.length > 0 ? join(root, "packages") : join(packageFolder, "src"),
      outDir: folder,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      // It may be built outside of the workspace.
      typeRoots: [join(root, "node_modules/@types")],
    },
    include: [join(packageFolder, "src"), ...inside],
    exclude: [join(root, "packages/*/src/**/*.test.ts"), join(root, "packages/rules/src/decision-table.ts")],
  };
  await writeFile(project, JSON.stringify(config));
  // It is small: each further checker would read the types of the libraries again.
  await promisify(execFile)(process.execPath, [compiler, "-p", project, "--checkers", "1"]);
  await rm(project);
}

async function moveInto(folder: string, from: string): Promise<void> {
  for (const name of await readdir(from)) await rename(join(from, name), join(folder, name));
}

/** Imports of a package by its name become relative. */
async function importFromFolder(folder: string, imported: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(?:js|d\.ts)$/.test(name)) continue;
    const file = join(folder, name);
    const text = await readFile(file, "utf8");
    const index = join(relative(dirname(file), folder), imported, "index.js");
    const path = JSON.stringify(index.startsWith(".") ? index : `./${index}`);
    const changed = text.replaceAll(`"@signalbox/${imported}"`, path);
    if (changed !== text) await writeFile(file, changed);
  }
}

if (import.meta.main) {
  for (const name of process.argv.slice(2)) await buildPackage(name, join(root, "packages", name, "dist"));
}
