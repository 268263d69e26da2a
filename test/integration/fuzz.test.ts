// Bytes of strangers, at every border: what is in the corpus, and inputs made from it. `npm run fuzz` tries longer and with other seeds.
import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { borders } from "../fuzz/borders.ts";
import { root } from "../support/host-process.ts";
import { rounds } from "../support/rounds.ts";

/** Tenths of a second. */
const time = rounds({ some: 3, all: 300 });

it.each(Object.keys(borders))("keeps its promises whatever comes in: %s", async (name) => {
  const args = ["--no-warnings", join(root, "test/fuzz/run.ts"), name, "--seconds", String(time / 10)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(new RegExp(`^${name}: \\d+ inputs`, "m"));
});

it("has a small corpus", () => {
  const files = globSync("test/fuzz/corpus/*/*", { cwd: root });
  expect(files.length).toBeGreaterThan(50);
  expect(files.reduce((size, file) => size + statSync(join(root, file)).size, 0)).toBeLessThan(200_000);
});
