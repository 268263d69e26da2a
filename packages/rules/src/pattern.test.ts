import fc from "fast-check";
import { expect, it } from "vitest";
import { hasWildcard, matchesCommand, matchesPath, matchesText } from "./pattern.ts";

it.each([
  ["git *", "git status", true],
  ["git *", "git", false],
  ["*test*", "npm test -- -t a/b", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", true],
  ["a\\*c", "a*c", true],
  ["a\\*c", "abc", false],
  ["", "", true],
  ["", "a", false],
  ["*", "two\nlines", true],
])("the text %j matches %j: %j", (pattern, text, expected) => {
  expect(matchesText(pattern, text)).toBe(expected);
});

it.each([
  ["/w/*.ts", "/w/a.ts", true],
  ["/w/*.ts", "/w/b/a.ts", false],
  ["/w/?.ts", "/w//.ts", false],
  ["/w/**", "/w/b/a.ts", true],
  ["/w/**", "/w", true],
  ["/w/**", "/w/", true],
  ["/w/**", "/ww", false],
  ["/**", "/a/b", true],
  ["/w/**/**", "/w/a/b", true],
  ["/w/**/a", "/w/a", true],
  ["/w/**/a", "/w/b/c/a", true],
  ["/w/**/a", "/w/ba", false],
  ["**/.env", ".env", true],
  ["**/.env", "/w/.env", true],
  ["**/.env", "/w/x.env", false],
  ["/w/**a", "/w/b/ca", true],
])("the path %j matches %j: %j", (pattern, path, expected) => {
  expect(matchesPath(pattern, path)).toBe(expected);
});

/** The same in the words of regular expressions, which are right and can be slow. */
function expression(pattern: string): RegExp {
  const source = pattern
    .replace(/\/\*\*$/, "<below>")
    .replaceAll(/(^|\/)\*\*\//g, "$1<folders>")
    .replaceAll("**", "<all>")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("<below>", "(?:/.*)?")
    .replaceAll("<all>", ".*")
    .replaceAll("<folders>", "(?:.*/)?");
  return new RegExp(`^${source}$`, "s");
}

it("means the same as a regular expression would", () => {
  const piece = fc.constantFrom("a", "b", "/", "*", "/**/", "*a");
  const text = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 7 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), text, (pieces, path) => {
      const pattern = pieces.join("");
      // Three stars in a row and folders twice are read in different ways.
      fc.pre(!pattern.includes("***") && !pattern.includes("**/**"));
      expect(matchesPath(pattern, path)).toBe(expression(pattern).test(path));
    }),
    { numRuns: 3000 },
  );
});

it("answers quickly where a regular expression would take for ever", () => {
  expect(matchesText(`${"*a".repeat(40)}b`, "a".repeat(5000))).toBe(false);
  expect(matchesPath(`${"**/".repeat(40)}b`, "a/".repeat(2000))).toBe(false);
});

it.each([
  ["./ok *", ["./ok", "a"], true],
  ["./ok *", ["./ok"], true],
  ["./ok *", ["./ok evil"], false],
  ["./ok   a", ["./ok", "a"], true],
  ["./ok a", ["./ok a"], false],
  ["./ok\\ a", ["./ok a"], true],
  ["git ?", ["git", "a"], true],
  ["a?b", ["a", "b"], false],
  ["a*b", ["a", "b"], true],
  ["*", ["a", "b"], true],
])("the words %j match %j: %j", (pattern, words, expected) => {
  expect(matchesCommand(pattern, words)).toBe(expected);
});

it("knows a pattern without wildcards", () => {
  expect([hasWildcard("a\\*b"), hasWildcard("a*"), hasWildcard("a?")]).toEqual([false, true, true]);
});
