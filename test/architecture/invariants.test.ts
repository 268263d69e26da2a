// Checks that every numbered rule of ARCHITECTURE.md is cited by tests, and that tests cite only rules that exist.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./source-files.ts";

const rules = [...readFileSync(join(root, "ARCHITECTURE.md"), "utf8").matchAll(/^- \*\*\[(R\d+)\]/gm)].map(
  ([, id = ""]) => id,
);
/** `it("[R6] denies …")`, also with several rules and in tables of cases. */
const citation = /(?<=["'`\s])\[(R\d+)\](?= )/g;
const cited = new Map<string, string[]>();
for (const path of globSync(["packages/*/src/**/*.ts", "test/{integration,page}/**/*.test.ts"], { cwd: root })) {
  if (!/\.test\.tsx?$|\/contract\//.test(path)) continue;
  for (const [, id = ""] of readFileSync(join(root, path), "utf8").matchAll(citation)) {
    cited.set(id, [...(cited.get(id) ?? []), path]);
  }
}

it("ARCHITECTURE.md numbers its rules from R1 without a gap", () => {
  expect(rules.length).toBeGreaterThan(0);
  expect(rules).toEqual(rules.map((_, index) => `R${index + 1}`));
});

it.each(rules)("%s is cited by a test", (id) => {
  expect(cited.get(id) ?? []).not.toEqual([]);
});

it("tests cite only rules that exist", () => {
  expect([...cited].filter(([id]) => !rules.includes(id))).toEqual([]);
});
