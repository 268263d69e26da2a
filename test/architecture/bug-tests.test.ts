// Checks the table "Each bug has a test" of docs/agent.md: the files are there, and have the tests that a row names.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./source-files.ts";

const table = readFileSync(join(root, "docs/agent.md"), "utf8").split("## Each bug has a test")[1] ?? "";
const rows = table.split("\n").flatMap((line) => {
  const [, what, tests] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return what === undefined || tests === undefined || !tests.includes("`") ? [] : [[what, tests] as const];
});

it("has a row for each of them", () => expect(rows.length).toBeGreaterThanOrEqual(22));

it.each(rows)("%s", (_what, tests) => {
  let text = "";
  for (const part of tests.split("; ")) {
    const [, path, name = part] = /^`([\w./-]+\.ts)`(?:: |$)(.*)$/.exec(part) ?? [];
    if (path !== undefined) {
      const file = join(root, /^(?:packages|test)\//.test(path) ? path : `packages/agent/src/${path}`);
      expect(existsSync(file), path).toBe(true);
      // A name leaves out what stands for the values of a table.
      text = readFileSync(file, "utf8").replaceAll(/%[sij] /g, "");
    }
    const words = name.includes("`") ? [...name.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word) : [name];
    for (const word of words) expect(text.includes(word), `${word} in ${path}`).toBe(true);
  }
});
