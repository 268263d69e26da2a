import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { measureTrees, sumPs, sumTrees } from "./tree-memory.ts";

it("adds up what a process and its descendants use", () => {
  const table = "    1     0  100\n   10     1   20\n   11    10    3\n   12    11    4\n   20     1    7\n";
  expect(sumTrees(table, [10, 20, 99])).toEqual(
    new Map([
      [10, 27 * 1024],
      [20, 7 * 1024],
    ]),
  );
});

it("measures a process with what it started, and none that has ended", async () => {
  // The end of the pipe keeps all of it until no more comes.
  const script = "(head -c 30000000 /dev/zero; sleep 1000) | tail -c 30000000";
  const child = spawn("sh", ["-c", script], { stdio: "ignore", detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
  const ended = spawn("true");
  await once(ended, "close");
  const memory = () => measureTrees([child.pid ?? 0, ended.pid ?? 0]);
  await expect.poll(async () => (await memory()).get(child.pid ?? 0)).toBeGreaterThan(30_000_000);
  expect([...(await memory()).keys()]).toEqual([child.pid]);
});

it.each([measureTrees, sumPs])("measures this process: %o", async (measure) => {
  const memory = await measure([process.pid]);
  expect(memory.get(process.pid)).toBeGreaterThan(1024 * 1024);
});

it("knows nothing where there is no ps, and does not fail", async () => {
  vi.stubEnv("PATH", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await sumPs([process.pid])).toEqual(new Map());
});
