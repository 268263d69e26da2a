// A command that wants the whole machine does not get it.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { processesWith, untilGone } from "../../../../test/support/processes.ts";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { compileAttempts } from "../escape-attempts/try-attempts.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

let enforcement: Enforcement;
let program = "";
beforeAll(async () => {
  enforcement = await provenEnforcement();
  program = await compileAttempts();
  // Not in `afterAll`, which also runs when this fails: the folder of no program would be the current one.
  return () => rmSync(dirname(program), { recursive: true, force: true });
}, 60_000);

const megabyte = 1024 ** 2;

it("one process that asks for too much memory does not get it", async () => {
  using place = new SandboxedPlace();
  const result = await place.run({ enforcement, command: [program, "hog-memory"], limits: { memory: 256 * megabyte } });
  expect(result).toMatchObject({ ended: "exit", exitCode: 1 });
  expect(result.output.text).toContain("Cannot allocate memory");
});

it("many processes that together take too much memory are ended", async () => {
  using place = new SandboxedPlace();
  const mark = randomUUID();
  const command = ["/bin/bash", "-c", `exec -a ${mark} ${program} hog-memory-together 8 40`] as const;
  const result = await place.run({ enforcement, command, limits: { memory: 200 * megabyte }, timeout: 20_000 });
  expect(result).toMatchObject({ ended: "limit", limit: "memory", most: 200 * megabyte });
  expect(processesWith(mark)).toEqual([]);
});

it("a fork bomb is held by the limit and gone with the command", async () => {
  using place = new SandboxedPlace();
  if (enforcement.kind !== "landlock" || enforcement.layer !== "namespaces") return; // nothing else holds root's
  const mark = randomUUID();
  const controller = new AbortController();
  const command = ["/bin/bash", "-c", `exec -a ${mark} ${program} fork-bomb`] as const;
  const running = place.run({
    enforcement,
    command,
    limits: { processes: 320 },
    signal: controller.signal,
    timeout: 20_000,
  });
  let isOver = false;
  void running.finally(() => (isOver = true));
  let most = 0;
  const look = () => {
    most = Math.max(most, processesWith(mark).length);
    return isOver || most > 1;
  };
  await expect.poll(look, { timeout: 10_000, interval: 1 }).toBe(true);
  controller.abort();
  const { ended } = await running;
  expect(["cancelled", "limit"]).toContain(ended);
  // What the limit ended before the first look was surely many processes.
  if (ended === "cancelled") expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(640);
  expect(await untilGone(mark)).toEqual([]);
});

it("a file does not grow beyond its limit", async () => {
  using place = new SandboxedPlace();
  const result = await place.run({
    enforcement,
    command: "head -c 3000000 /dev/zero > big; stat -c %s big",
    limits: { fileSize: 1_000_000 },
  });
  expect(result.output.text).toContain("1000000");
});
