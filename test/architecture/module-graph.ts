// Reads what every file of the project imports and exports, with Vite's parser, and finds what no other file uses.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "vite";
import { root } from "./source-files.ts";

interface Use {
  readonly from: string;
  /** `undefined` uses every export: `import * as`, or a dynamic import whose names are not visible. */
  readonly name: string | undefined;
}

interface Export {
  /** `*` passes on every export of `source`. */
  readonly name: string;
  /** Set for a re-export: the specifier and the name over there. */
  readonly source?: Use;
}

interface Module {
  readonly path: string;
  readonly text: string;
  readonly uses: readonly Use[];
  readonly exports: readonly Export[];
}

/** Every script and source file of the project, tests and benchmarks included. */
export function projectModules(): readonly Module[] {
  const patterns = [
    "*.ts",
    "{scripts,test,examples}/**/*.{ts,tsx,mjs}",
    "packages/*/*.ts",
    "packages/*/{src,bench,native,scripts,test-support}/**/*.{ts,tsx,mjs}",
  ];
  return globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] }).map((path) =>
    readModule(path, readFileSync(join(root, path), "utf8")),
  );
}

export function readModule(path: string, text: string): Module {
  const { module } = parseSync(path, text);
  const uses: Use[] = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.length === 0
      ? [{ from: moduleRequest.value, name: "" }]
      : entries.map(({ importName }) => ({
          from: moduleRequest.value,
          name: importName.kind === "NamespaceObject" ? undefined : (importName.name ?? "default"),
        })),
  );
  for (const { start, end, moduleRequest } of module.dynamicImports) {
    const from = /^["'](.*)["']$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (from === undefined) continue;
    const names = namesOfDynamicImport(text.slice(Math.max(0, start - 200), start), text.slice(end, end + 200));
    uses.push(...(names ?? [undefined]).map((name) => ({ from, name })));
  }
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, moduleRequest, importName }): Export => {
      const name = exportName.kind === "Default" ? "default" : (exportName.name ?? "*");
      if (moduleRequest === null) return { name };
      const there = importName.kind === "Name" ? (importName.name ?? undefined) : undefined;
      return { name, source: { from: moduleRequest.value, name: there } };
    }),
  );
  return { path, text, uses, exports };
}

/** `const { a } = await import(x)`, `(await import(x)).a` and `import(x).then(({ a }) => …)`; undefined for other forms. */
function namesOfDynamicImport(before: string, after: string): readonly string[] | undefined {
  const member = /^\)\.(\w+)/.exec(after)?.[1];
  if (member !== undefined) return [member];
  const list = /\{([\w\s,]*)\}\s*=\s*await\s*$/.exec(before)?.[1] ?? /^\s*\.then\(\(\{([\w\s,]*)\}/.exec(after)?.[1];
  return list
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

interface Entries {
  /** Files that something outside of the project's imports runs or imports. */
  readonly isEntry: (path: string) => boolean;
  /** The file of a bare specifier such as `@signalbox/rules`, if it is one of the project's. */
  readonly resolvePackage: (specifier: string) => string | undefined;
}

/** Exports as `path: name`, and whole files, that nothing uses. An entry's own exports count as used. */
export function findUnused(modules: readonly Module[], { isEntry, resolvePackage }: Entries) {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const resolve = (from: string, specifier: string) =>
    specifier.startsWith(".") ? join(dirname(from), specifier) : resolvePackage(specifier);
  const used = new Set<string>();
  const imported = new Set<string>();
  const markUsed = (path: string | undefined, name: string | undefined): void => {
    const module = path === undefined ? undefined : byPath.get(path);
    if (module === undefined) return;
    imported.add(module.path);
    for (const entry of module.exports) {
      const fits = name === undefined || entry.name === name || entry.name === "*";
      const key = `${module.path}: ${entry.name} ${name} ${entry.source?.from}`;
      if (!fits || used.has(key)) continue;
      used.add(key).add(`${module.path}: ${entry.name}`);
      if (entry.source !== undefined)
        markUsed(resolve(module.path, entry.source.from), entry.name === "*" ? name : entry.source.name);
    }
  };
  for (const module of modules) {
    for (const { from, name } of module.uses) markUsed(resolve(module.path, from), name);
    if (isEntry(module.path)) markUsed(module.path, undefined);
  }
  return {
    exports: modules.flatMap(({ path, exports }) =>
      exports.map(({ name }) => `${path}: ${name}`).filter((key) => imported.has(path) && !used.has(key)),
    ),
    files: modules.map(({ path }) => path).filter((path) => !imported.has(path)),
  };
}
