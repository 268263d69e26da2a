// Checks that every file, export and dependency is used by something.
import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findUnused, projectModules, readModule } from "./module-graph.ts";
import { root } from "./source-files.ts";

const modules = projectModules();
/** File names that stand in a string or a command line: what is run, not imported. */
const runByName = new Set(
  [
    ...modules.map(({ text }) => text.replaceAll(/(?:from |import |import\()["'][^"']*["']/g, "")),
    ...globSync(["*.json", "packages/*/*.{json,html}", "examples/**/*.json", "signalbox", ".ci/*"], {
      cwd: root,
      exclude: ["package-lock.json", "**/node_modules/**"],
    }).map((path) => readFileSync(join(root, path), "utf8")),
  ].flatMap((text) => [...text.matchAll(/(?<=[/"'` ])[\w.-]+\.(?:tsx?|mjs)(?=["'`)\s])/g)].map(([name]) => name)),
);

describe("every file and every export", () => {
  const unused = findUnused(modules, {
    isEntry: (path) =>
      /\.(?:test|bench)\.tsx?$|config\.ts$|\.d\.ts$/.test(path) ||
      /^packages\/(?:tool-calls|react)\/src\/index\.ts$/.test(path) ||
      runByName.has(basename(path)),
    resolvePackage: (specifier) =>
      specifier.startsWith("@signalbox/")
        ? specifier.replace(
            /^@signalbox\/([\w-]+)(?:\/(.+))?$/,
            (_all, name, file = "index") => `packages/${name}/src/${file}.ts`,
          )
        : undefined,
  });
  it("is used by another file", () => {
    expect(unused.files).toEqual([]);
    expect(unused.exports).toEqual([]);
  });
});

describe("every dependency", () => {
  it.each(globSync("packages/*", { cwd: root }))("of %s is imported there", (folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const own = modules.filter(({ path }) => path.startsWith(`${folder}/`));
    const imports = new Set(
      own.flatMap(({ uses, exports }) =>
        [...uses, ...exports.flatMap(({ source }) => source ?? [])].map(({ from }) => packageName(from)),
      ),
    );
    const unused = Object.keys(manifest.dependencies ?? {}).filter(
      (name) => !imports.has(name) && !own.some(({ text }) => text.includes(`"${name}"`)),
    );
    expect(unused).toEqual([]);
  });
});

describe("the finder", () => {
  const find = (files: Readonly<Record<string, string>>) =>
    findUnused(
      Object.entries(files).map(([path, text]) => readModule(path, text)),
      { isEntry: (path) => path === "main.ts", resolvePackage: () => undefined },
    );

  it.each([
    'import { used } from "./a.ts";',
    'import { used as other } from "./a.ts";',
    'export { used } from "./a.ts";',
    'const { used } = await import("./a.ts");',
    'const f = async () => (await import("./a.ts")).used;',
    'import("./a.ts").then(({ used }) => used);',
    'import { used } from "./index.ts";',
  ])("finds what is left over after %j", (text) => {
    const a = "export const used = 1; export type Unused = string;";
    expect(find({ "main.ts": text, "a.ts": a, "index.ts": 'export * from "./a.ts";' }).exports).toContain(
      "a.ts: Unused",
    );
    expect(find({ "main.ts": text, "a.ts": a, "index.ts": 'export * from "./a.ts";' }).exports).not.toContain(
      "a.ts: used",
    );
  });

  it("finds an export that is only passed on", () => {
    const files = {
      "main.ts": 'import { used } from "./index.ts";',
      "index.ts": 'export { used, unused } from "./a.ts";',
      "a.ts": "export const used = 1; export const unused = 2;",
    };
    expect(find(files)).toEqual({ exports: ["index.ts: unused", "a.ts: unused"], files: [] });
  });

  it("finds a file that nothing imports", () => {
    expect(find({ "main.ts": "", "a.ts": "export const used = 1;" }).files).toEqual(["a.ts"]);
  });
});

function packageName(specifier: string): string {
  if (isBuiltin(specifier)) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
