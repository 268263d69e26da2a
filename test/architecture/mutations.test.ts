// Checks the list of `npm run mutations`: each change still fits the code, and each rule of ARCHITECTURE.md and ten checks of the sandbox have one.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./source-files.ts";

interface Mutation {
  readonly proves: string;
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  readonly test: string;
}

const mutations = JSON.parse(readFileSync(join(root, "test/mutations.json"), "utf8")) as readonly Mutation[];

it.each(mutations)("$proves: the text is in $file exactly once", ({ file, text, replacement, test }) => {
  expect(readFileSync(join(root, file), "utf8").split(text)).toHaveLength(2);
  expect(replacement).not.toBe(text);
  expect(existsSync(join(root, test))).toBe(true);
});

it("every rule of ARCHITECTURE.md and ten checks of the sandbox have a change", () => {
  const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const rules = [...architecture.matchAll(/^- \*\*\[(R\d+)\]/gm)].map(([, id]) => id);
  const proven = mutations.map(({ proves }) => proves);
  expect(proven.filter((each) => !each.startsWith("sandbox: "))).toEqual(rules);
  expect(proven.filter((each) => each.startsWith("sandbox: ")).length).toBeGreaterThanOrEqual(10);
});
