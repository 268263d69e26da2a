// A page draws later than a click or a message: a test that reads a value once, or takes what was drawn before for what comes, fails on a slow moment.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "../page");
const lines = readdirSync(folder)
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .map((line, index) => ({ place: `${name}:${index + 1}`, line })),
  );
const placesWith = (isWrong: (line: string) => boolean) =>
  lines.filter(({ line }) => isWrong(line)).map(({ place }) => place);

/** Reads that wait by themselves, and those that say that something is not there after what would have drawn it. */
const isFine = (line: string) => /expect\(await (restingTop|top)\(|\.not\.to|\.count\(\)\)\.toBe\(0\)/.test(line);

it("tests of the page poll what they read: expect.poll(() => …), not expect(await …)", () => {
  expect(placesWith((line) => /expect\(\(?await /.test(line) && !isFine(line))).toEqual([]);
  expect(placesWith((line) => /expect\(\w+\.url\(\)\)/.test(line))).toEqual([]);
});

it("tests of the page walk through no list of elements that they read once: .evaluateAll(…), not .all()", () => {
  expect(placesWith((line) => line.includes(".all()"))).toEqual([]);
});

it("tests of the page find a field by its role where entries of a thread have its name too: while one is still shown, there are several", () => {
  expect(placesWith((line) => /getByLabel\("(Agent|You|Thought|Error|Sub-agent)"/.test(line))).toEqual([]);
});
