// Checks that sources, file names and documents use the glossary's words and one dialect.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dialect, findAvoided, readWordRules } from "./plain-words.ts";
import { root } from "./source-files.ts";

const glossary = "docs/glossary.md";
const rules = readWordRules(readFileSync(join(root, glossary), "utf8"));
const checked = [
  "*.{md,ts}",
  "{docs,examples,scripts,test}/**/*.{md,ts,tsx,mjs,css}",
  "packages/*/*.{md,ts,html}",
  "packages/*/{src,bench,native,scripts,test-support}/**/*.{ts,tsx,mjs,css,c,h}",
];
const quotesTheWords = [glossary, "test/architecture/plain-words.ts", "test/architecture/plain-words.test.ts"];
const explanation = `Use the words of ${glossary}: it has the table of words to avoid, and what is allowed.`;

describe("sources and documents", () => {
  it("use the words of the glossary, and one dialect", { timeout: 60_000 }, () => {
    const findings = globSync(checked, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] })
      .filter((path) => !quotesTheWords.includes(path))
      .toSorted()
      .flatMap(findingsIn);
    expect(findings, explanation).toEqual([]);
  });
});

describe("the word finder", () => {
  const find = (text: string) => findAvoided(text, rules).map(({ found }) => found.toLowerCase());

  it.each([
    ["function takeUp() {}", ["take up"]],
    ["const TAKE_UP = 1", ["take up"]],
    ["class WaitingRoom {}", ["waiting room"]],
    ["// it got\n// leave from a person", ["got leave"]],
    ["const mostLines = 3; const longestWait = 4", ["mostlines", "longestwait"]],
    ["this.#say(text); view.say(text)", ["say(", "say("]],
    ["const errorWords = 1", ["errorwords"]],
    ["text is cut here", ["cut"]],
  ])("finds %j", (text, found) => {
    expect(find(text)).toEqual(found);
  });

  it.each([
    "leave it out, and make room for more",
    "most of these; the longest line",
    "survived a power cut by a shortcut",
    "shellWords(line); mostRecent; essay(1); saying(2)",
    "it takes upper case",
  ])("accepts %j", (text) => {
    expect(find(text)).toEqual([]);
  });

  it.each([
    "const MAX_LINES = 3;",
    "const LIMIT = 3;",
    '  test("opens", () => {});',
    'return row["thread_id"];',
    'return this.#row?.["thread_id"];',
  ])("finds the dialect %j", (text) => {
    expect(findAvoided(text, dialect)).toHaveLength(1);
  });

  it.each([
    "const maxLines = 3;",
    'it("opens", () => {});',
    'type Row = Queries["turns"]["row"]; const a = headers["content-type"];',
    'type Kind = acp.ContentBlock["type"];',
    "pattern.test(text);",
  ])("accepts the dialect %j", (text) => {
    expect(findAvoided(text, dialect)).toEqual([]);
  });
});

function findingsIn(path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8");
  const isCode = /\.(?:tsx?|mjs)$/.test(path);
  return [
    ...findAvoided(path, rules).map(({ found, use }) => `${path}: the file name has "${found}"; use: ${use}`),
    ...findAvoided(text, rules).map(({ line, found, use }) => `${path}:${line}: "${found}"; use: ${use}`),
    ...(isCode ? findAvoided(text, dialect) : []).map(
      ({ line, found, use }) => `${path}:${line}: "${found}"; use: ${use}`,
    ),
  ];
}
