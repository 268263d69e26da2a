// The source files of the packages and what they import, read as text.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export const root = join(import.meta.dirname, "../..");

export interface SourceFile {
  /** From the root: packages/host/src/server/server.ts */
  readonly path: string;
  readonly package: string;
  /** First folder below src, or null for files directly in it. */
  readonly folder: string | null;
  readonly imports: readonly string[];
  readonly lines: number;
}

const importing = /(?:^|[\s;])(?:import|export)\s(?:[^"';]*?\sfrom\s)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

/** Product code: tests may reach further. */
export function sourceFiles(): readonly SourceFile[] {
  return globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root })
    .filter((path) => !/\.test\.tsx?$|\/testing\//.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const [, name = "", , ...rest] = path.split("/");
      return {
        path,
        package: name,
        folder: rest.length > 1 ? (rest[0] ?? null) : null,
        imports: importsOf(text),
        lines: text.split("\n").length,
      };
    });
}

export function importsOf(text: string): readonly string[] {
  return [...text.matchAll(importing)].map((match) => match[1] ?? match[2] ?? "");
}

/** The file that a relative import names, from the root; null for packages. */
export function resolveRelative(from: SourceFile, specifier: string): string | null {
  return specifier.startsWith(".") ? relative(root, join(root, dirname(from.path), specifier)) : null;
}
