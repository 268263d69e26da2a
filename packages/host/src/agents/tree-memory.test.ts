import { expect, it, onTestFinished, vi } from "vitest";
import { sumTrees, treeMemory } from "./tree-memory.ts";

it("adds up what a process and its descendants use", () => {
  const table = "    1     0  100\n   10     1   20\n   11    10    3\n   12    11    4\n   20     1    7\n";
  expect(sumTrees(table, [10, 20, 99])).toEqual(
    new Map([
      [10, 27 * 1024],
      [20, 7 * 1024],
    ]),
  );
});

it("measures this process", async () => {
  const memory = await treeMemory([process.pid]);
  expect(memory.get(process.pid)).toBeGreaterThan(1024 * 1024);
});

it("knows nothing where there is no ps, and does not fail", async () => {
  vi.stubEnv("PATH", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await treeMemory([process.pid])).toEqual(new Map());
});
