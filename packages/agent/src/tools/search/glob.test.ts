import { matchesGlob } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../../test/support/processor-time.ts";
import { compileGlob, GlobError } from "./glob.ts";

const matches = (pattern: string, path: string) => compileGlob(pattern)(path);

describe("a glob", () => {
  it.each([
    ["*.ts", "a.ts"],
    ["*.ts", "src/deep/a.ts"],
    ["src/**/*.ts", "src/a.ts"],
    ["src/**/*.ts", "src/x/y/a.ts"],
    ["**/test/**", "a/test/b/c"],
    ["./src/*.ts", "src/a.ts"],
    ["/src/*.ts", "src/a.ts"],
    ["*.{js,ts}", "x/a.js"],
    ["{a,b{c,d}}/x", "bd/x"],
    ["[a-c]?.md", "bx.md"],
    ["[!a]*.md", "bx.md"],
    ["a\\*b", "a*b"],
    ["**", "any/thing"],
    ["src/*/index.*", "src/tools/index.test.ts"],
    ["*é?", "né😀"],
  ])("%s matches %s", (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
  });

  it.each([
    ["src/*.ts", "src/x/a.ts"],
    ["src/*.ts", "lib/src/a.ts"],
    ["*.ts", "a.tsx"],
    ["a\\*b", "axb"],
    ["[!a]*.md", "ab.md"],
    ["a/**/b", "a/b/c"],
    ["*.{js,ts}", "a.jsx"],
  ])("%s does not match %s", (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });

  it.each(["{a,b", "[a", "", "{a,b}".repeat(20)])("says what is wrong with %j", (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(GlobError);
  });

  it("answers quickly for a pattern that would hang a regular expression", () => {
    const bomb = compileGlob(`${"**/".repeat(50)}${"*a".repeat(100)}b`);
    const used = processorTime();
    expect(bomb(`${"a/".repeat(200)}${"a".repeat(250)}`)).toBe(false);
    expect(used()).toBeLessThan(1000);
  });

  it("agrees with Node's own on plain patterns", () => {
    const part = fc.constantFrom("a", "b", "*", "?", "**", "*b", "a*");
    const name = fc.constantFrom("a", "b", "ab", "ba", "bb");
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 4 }),
        (parts, names) => {
          const [pattern, path] = [parts.join("/"), names.join("/")];
          expect(matches(pattern, path), `${pattern} on ${path}`).toBe(matchesGlob(path, pattern));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
