// Checks the helper that stands by: no other process can use it, it may die, and it keeps nothing alive.
import { execFile, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { descendants, processesWith, untilGone, untilPresent } from "../../../../test/support/processes.ts";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { runCommand } from "../run-command/run-command.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

/** Our own child stands first; its forks, one for each command, have the same name. */
const launcher = () => descendants().find((pid) => commandLine(pid).includes("\0serve\0")) ?? Number.NaN;

it("no word can pretend to be several: a zero byte is refused", async () => {
  using here = new SandboxedPlace();
  const more = { enforcement, policy: here.policy(), cwd: here.folder.at("work") };
  const answers = await Promise.all([
    runCommand({ ...more, command: ["/bin/echo", "a\0--write\0/"] }),
    runCommand({ ...more, command: "true", env: { A: "b\0LD_PRELOAD=c" } }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ ended: "refused", code: "cannot_start" });
    expect(answer).toHaveProperty("message", expect.stringContaining("zero byte"));
  }
});

it("when it is killed, its commands end with it, and the next command finds a new one", async () => {
  using here = new SandboxedPlace();
  const mark = randomUUID();
  const running = here.run({ enforcement, command: `sleep 1000; : ${mark}` });
  expect(await untilPresent(mark)).not.toEqual([]);
  process.kill(launcher(), "SIGKILL");
  expect(await running).toMatchObject({ ended: "signal", signal: "SIGKILL" });
  expect(await untilGone(mark)).toEqual([]);
  expect(await here.run({ enforcement, command: "true" })).toMatchObject({ ended: "exit", exitCode: 0 });
});

it.each([
  ["not seen yet", 0],
  ["seen", 5],
])("when the process that waits for the next command is killed, which is %s, another one runs it", async (_, turns) => {
  using here = new SandboxedPlace();
  await here.run({ enforcement, command: "true" });
  const waiting = () => descendants().filter((pid) => commandLine(pid).includes("\0serve\0") && pid !== launcher());
  await expect.poll(() => waiting().length).toBeGreaterThan(0);
  // Perhaps with that of the last command, which may be on its way out.
  execFileSync("/bin/bash", ["-c", `kill -KILL ${waiting().join(" ")}; true`], { stdio: "ignore" });
  if (turns > 0) await expect.poll(waiting).toEqual([]);
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(await here.run({ enforcement, command: "exit 3" })).toMatchObject({ ended: "exit", exitCode: 3 });
});

it("a stranger who knows its address but no token is turned away", async () => {
  using here = new SandboxedPlace();
  await here.run({ enforcement, command: "true" });
  const address = new RegExp(`@(signalbox-${process.pid}-\\w+)`).exec(readFileSync("/proc/net/unix", "utf8"))?.[1];
  const stranger = connect(`\0${address}`);
  stranger.write(`c${"0".repeat(32)}\nexit 0\n`);
  await once(stranger.resume(), "close");
  expect(await here.run({ enforcement, command: "exit 3" })).toMatchObject({ exitCode: 3 });
});

it("a command that is cancelled before it began does nothing", async () => {
  using here = new SandboxedPlace();
  const mark = randomUUID();
  const cancel = new AbortController();
  const running = here.run({ enforcement, command: `sleep 1000; : ${mark}`, signal: cancel.signal });
  cancel.abort();
  expect(await running).toMatchObject({ ended: "cancelled" });
  expect(processesWith(mark)).toEqual([]);
});

it("without a descriptor for a command's lines it is told so, time and cancel count, and what runs already runs on", async () => {
  using here = new SandboxedPlace();
  const script = join(import.meta.dirname, "../testing/run-without-descriptors.ts");
  const given = JSON.stringify({ enforcement, policy: here.policy() });
  const { stdout } = await promisify(execFile)("/bin/bash", [
    "-c",
    'ulimit -n 128; exec "$@"',
    "bash",
    process.execPath,
    "--no-warnings",
    script,
    given,
    here.folder.at("work"),
  ]);
  const lost = expect.stringContaining("too many files are open");
  expect(JSON.parse(stdout)).toEqual(["exit", "timeout", "cancelled", lost, "exit", "exit"]);
});

it("a process that has nothing else to do ends, and takes it along", async () => {
  using here = new SandboxedPlace();
  const script = join(import.meta.dirname, "../testing/run-once.ts");
  const given = JSON.stringify({ enforcement, policy: here.policy() });
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--no-warnings", script, given, here.folder.at("work")]);
  const { ended, left } = JSON.parse(stdout) as { ended: string; left: readonly number[] };
  expect(ended).toBe("exit");
  expect(left).not.toEqual([]);
  await expect.poll(() => left.filter((pid) => commandLine(pid).includes("serve"))).toEqual([]);
});

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
