// A page draws later than a click or a message: a test that reads a value once fails on a slow moment. So values of a page are polled.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "../page");

/** Reads that wait by themselves, and those that say that something is not there after what would have drawn it. */
const isFine = (line: string) => /expect\(await (restingTop|top)\(|\.not\.to|\.count\(\)\)\.toBe\(0\)/.test(line);

it("tests of the page poll what they read: expect.poll(() => …), not expect(await …)", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
  const readOnce = files.flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .flatMap((line, index) => (/expect\(\(?await /.test(line) && !isFine(line) ? [`${name}:${index + 1}`] : [])),
  );
  expect(readOnce).toEqual([]);
});
