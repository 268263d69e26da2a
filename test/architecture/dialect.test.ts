// Checks that all TypeScript and JavaScript is written in one dialect.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDialect } from "./dialect.ts";
import { root } from "./source-files.ts";

const checked = [
  "*.ts",
  "{examples,scripts,test}/**/*.{ts,tsx,mjs}",
  "packages/*/{src,bench,scripts,test-support}/**/*.{ts,tsx,mjs}",
];

describe("sources", () => {
  it("use one dialect", { timeout: 60_000 }, () => {
    const findings = globSync(checked, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] })
      .filter((path) => path !== "test/architecture/dialect.test.ts")
      .toSorted()
      .flatMap((path) =>
        findDialect(readFileSync(join(root, path), "utf8")).map(
          ({ line, found, use }) => `${path}:${line}: "${found}"; use: ${use}`,
        ),
      );
    expect(findings).toEqual([]);
  });
});

describe("findDialect", () => {
  it.each([
    "const MAX_LINES = 3;",
    "const LIMIT = 3;",
    '  test("opens", () => {});',
    'return row["thread_id"];',
    'return this.#row?.["thread_id"];',
  ])("finds %j", (text) => {
    expect(findDialect(text)).toHaveLength(1);
  });

  it.each([
    "const maxLines = 3;",
    'it("opens", () => {});',
    'type Row = Queries["turns"]["row"]; const a = headers["content-type"];',
    'type Kind = acp.ContentBlock["type"];',
    "pattern.test(text);",
  ])("accepts %j", (text) => {
    expect(findDialect(text)).toEqual([]);
  });
});
