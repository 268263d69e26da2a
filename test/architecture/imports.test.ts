// Checks imports (only along the arrows, no cycles), file lengths, and that ARCHITECTURE.md names what exists.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { browserSafe, folderImports, maxFileLines, packageImports } from "./allowed-imports.ts";
import { importsOf, resolveRelative, root, type SourceFile, sourceFiles } from "./source-files.ts";

const files = sourceFiles();

describe("imports between packages", () => {
  it("are listed for every package, and only those", () => {
    expect(Object.keys(packageImports).toSorted()).toEqual(readdirSync(join(root, "packages")).toSorted());
  });

  it("go only where the list allows it", () => {
    const forbidden = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith("@signalbox/"))
        .filter((specifier) => !packageImports[file.package]?.includes(specifier.split("/")[1] ?? ""))
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    expect(forbidden).toEqual([]);
  });

  it("use everything that the list allows", () => {
    const unused = Object.entries(packageImports).flatMap(([name, allowed]) => {
      const own = files.filter((file) => file.package === name).flatMap((file) => file.imports);
      const used = new Set(own.map((specifier) => specifier.split("/").slice(0, 2).join("/")));
      return allowed.filter((other) => !used.has(`@signalbox/${other}`)).map((other) => `${name} imports no ${other}`);
    });
    expect(unused).toEqual([]);
  });

  it("do not use a relative path", () => {
    const outside = files.flatMap((file) =>
      file.imports
        .map((specifier) => resolveRelative(file, specifier))
        .filter((target) => target !== null && !target.startsWith(`packages/${file.package}/`))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(outside).toEqual([]);
  });

  it("are declared in each package.json", () => {
    for (const [name, allowed] of Object.entries(packageImports)) {
      const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
      const declared = Object.keys(manifest.dependencies ?? {}).filter((other) => other.startsWith("@signalbox/"));
      expect(declared.map((other) => other.split("/")[1] ?? "").toSorted(), `packages/${name}/package.json`).toEqual(
        allowed.toSorted(),
      );
    }
  });

  it("bring nothing of Node into packages that run in a browser", () => {
    const ofNode = files
      .filter((file) => browserSafe.includes(file.package))
      .flatMap((file) => file.imports.filter((name) => isBuiltin(name)).map((name) => `${file.path} imports ${name}`));
    expect(ofNode).toEqual([]);
  });
});

describe.each(Object.entries(folderImports))("imports inside %s", (name, allowed) => {
  const inside = files.filter((file) => file.package === name);

  it("are listed for every folder", () => {
    const folders = new Set(inside.map((file) => file.folder).filter((folder) => folder !== null));
    expect([...folders].toSorted()).toEqual(Object.keys(allowed).toSorted());
  });

  it("go only where the list allows it", () => {
    const forbidden = inside.flatMap((file) =>
      file.imports
        .map((specifier) => resolveRelative(file, specifier))
        .filter((target) => target !== null)
        .filter((target) => !mayImport(file, target, allowed))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(forbidden).toEqual([]);
  });
});

describe("files", () => {
  it("import each other without cycles", () => {
    expect(cycleIn(files)).toEqual([]);
  });

  it(`are shorter than ${maxFileLines} lines`, () => {
    expect(files.filter((file) => file.lines > maxFileLines).map((file) => `${file.path}: ${file.lines}`)).toEqual([]);
  });
});

describe("ARCHITECTURE.md", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");

  it("names only paths that exist", () => {
    const named = [...text.matchAll(/`([\w@.-]+\/[\w@./*-]*|[\w-]+\.(?:ts|tsx|mjs|md|json))`/g)]
      .map((match) => match[1] ?? "")
      .filter((path) => /^(?:packages|test|scripts|docs|examples|\.ci)\//.test(path) || /\.(?:md|json)$/.test(path));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path.replace(/\/?\*.*$/, ""))))).toEqual([]);
  });

  it("names every package and every folder of host and agent", () => {
    const places = [
      ...Object.keys(packageImports).map((name) => `packages/${name}`),
      ...Object.entries(folderImports).flatMap(([name, allowed]) =>
        Object.keys(allowed).map((folder) => `packages/${name}/src/${folder}`),
      ),
    ];
    expect(places.filter((place) => !text.includes(`\`${place}`))).toEqual([]);
  });

  it("draws the two flows with files that exist", () => {
    const flows = text.split("## The two flows")[1]?.split("```")[1] ?? "";
    let name = "";
    const drawn = flows.split("\n").flatMap((line) => {
      name = /^ {2}([a-z-]+) /.exec(line)?.[1] ?? name;
      return [...line.matchAll(/[\w/-]+\.tsx?/g)].map(([file]) => `packages/${name}/src/${file}`);
    });
    expect(drawn.length).toBeGreaterThan(30);
    expect(drawn.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("stays under 200 lines", () => {
    expect(text.split("\n").length).toBeLessThan(200);
  });
});

describe("the reader of imports", () => {
  it("sees every way to import", () => {
    const text = `import a from "a"; import type { B } from "b"\nexport * from "c";\nimport "d";\nawait import("e");\nimport {\n  f,\n} from "f";`;
    expect(importsOf(text)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
});

function mayImport(file: SourceFile, target: string, allowed: Readonly<Record<string, readonly string[]>>): boolean {
  if (file.folder === null) return true;
  const rest = target.split("/").slice(3);
  const folder = rest.length > 1 ? rest[0] : undefined;
  return folder === file.folder || (folder !== undefined && (allowed[file.folder]?.includes(folder) ?? false));
}

/** The first cycle of files that import each other, as the way around it. */
function cycleIn(sources: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const done = new Set<string>();
  const visit = (file: SourceFile, way: readonly string[]): readonly string[] => {
    if (way.includes(file.path)) return [...way.slice(way.indexOf(file.path)), file.path];
    if (done.has(file.path)) return [];
    for (const specifier of file.imports) {
      const next = byPath.get(resolveRelative(file, specifier) ?? "");
      const cycle = next === undefined ? [] : visit(next, [...way, file.path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file.path);
    return [];
  };
  for (const file of sources) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
