// Checks the table "To add X" of ARCHITECTURE.md: the example of each row is in every file that the row names, and in no other.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source-files.ts";

interface Row {
  readonly what: string;
  readonly paths: readonly string[];
  readonly example: string | undefined;
  /** The row says so where the example is also a word of something else. */
  readonly isAlsoElsewhere: boolean;
}

const table = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("## To add X")[1]?.split("\n## ")[0] ?? "";
const rows = table
  .split("\n")
  .filter((line) => line.startsWith("|") && line.includes("`"))
  .map(readRow);

describe("to add", () => {
  it("has rows for what is added most", () => {
    const wanted = [
      "command",
      "query",
      "update kind",
      "import source",
      "known agent",
      "config key",
      "tool",
      "rule term",
    ];
    expect(wanted.filter((word) => !rows.some(({ what }) => what.includes(word)))).toEqual([]);
  });

  it.each(["a WebSocket request", "a query of the register", "a query of the host"])(
    "takes at most three files for %s",
    (what) => {
      const paths = rows.find((row) => row.what === what)?.paths.length;
      expect(paths).toBeGreaterThan(0);
      expect(paths).toBeLessThanOrEqual(3);
    },
  );

  it("takes at most six files for a kind of row", () => {
    expect(rows.find(({ what }) => what === "a kind of row")?.paths.length).toBeLessThanOrEqual(6);
  });

  it("takes one file for a config key", () => {
    expect(rows.find(({ what }) => what === "a config key")?.paths).toEqual(["packages/config/src/config-schema.ts"]);
  });

  it.each(rows.map((row) => [row.what, row] as const))("%s", (_what, { paths, example, isAlsoElsewhere }) => {
    expect(paths.filter((path) => !existsSync(join(root, path.replace(/\/?\*.*$/, ""))))).toEqual([]);
    if (example === undefined) return;
    expect(paths.filter((path) => !filesOf(path).some((file) => mentions(file, example)))).toEqual([]);
    if (isAlsoElsewhere) return;
    const others = productFiles.filter((file) => mentions(file, example) && !paths.some((path) => isIn(file, path)));
    expect(others, "the row does not name these files").toEqual([]);
  });
});

/** The page, the commands and the reports use what the other packages define. */
const productFiles = globSync("packages/*/src/**/*.ts", { cwd: root })
  .filter((path) => !/\.test\.ts$|\/testing\/|\/contract\//.test(path))
  .filter((path) => !/^packages\/(?:ui|cli|reports)\//.test(path));

function readRow(line: string): Row {
  const [, what = "", touch = "", example = ""] = line.split("|").map((cell) => cell.trim());
  return {
    what,
    paths: quoted(touch).filter((text) => text.includes("/")),
    example: quoted(example)[0],
    isAlsoElsewhere: example.includes("elsewhere"),
  };
}

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
}

function filesOf(path: string): readonly string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return globSync(`${path.replace(/\/$/, "")}/**/*.{ts,tsx,md,css}`, { cwd: root });
}

function isIn(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path.replace(/\/$/, "")}/`);
}

function mentions(file: string, example: string): boolean {
  return readFileSync(join(root, file), "utf8").includes(example);
}
