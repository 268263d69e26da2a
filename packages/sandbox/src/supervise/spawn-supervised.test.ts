// A supervised program is itself in every respect, except that nothing it started outlives it.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, it } from "vitest";
import { processesWith, untilGone, untilPresent } from "../../../../test/support/processes.ts";
import { compiledHelper } from "../testing/proven-enforcement.ts";
import { type SupervisedProcess, spawnSupervised } from "./spawn-supervised.ts";

let helper: string | undefined;
beforeAll(async () => {
  helper = await compiledHelper();
}, 60_000);

const start = (script: string): SupervisedProcess =>
  spawnSupervised({
    command: "/bin/sh",
    args: ["-c", script],
    cwd: "/",
    env: { PATH: process.env.PATH ?? "" },
    helper,
  });

const exitOf = async ({ process: child }: SupervisedProcess) =>
  (await once(child, "exit")) as [number | null, string | null];

it("its streams, arguments and exit code are its own", async () => {
  const program = start("read line; echo got $line; echo problem >&2; exit 7");
  program.process.stdin.end("hello\n");
  const ended = exitOf(program);
  const { stdout, stderr } = program.process;
  expect(await Promise.all([text(stdout), text(stderr)])).toEqual(["got hello\n", "problem\n"]);
  expect(await ended).toEqual([7, null]);
});

it("its signal is its own", async () => {
  expect(await exitOf(start("kill -KILL $$"))).toEqual([null, "SIGKILL"]);
  expect(await exitOf(start("kill -USR1 $$"))).toEqual([null, "SIGUSR1"]);
});

it("a program that does not exist ends with 127 and says so", async () => {
  const program = spawnSupervised({ command: "/no/such/program", args: [], cwd: "/", env: {}, helper });
  const ended = exitOf(program);
  expect(await text(program.process.stderr)).toContain("/no/such/program: No such file or directory");
  expect(await ended).toEqual([127, null]);
});

it("TERM reaches it and its children, so that it can clean up", async () => {
  const program = start("trap 'echo cleaned; exit 5' TERM; sleep 100 & echo ready; wait");
  const ended = exitOf(program);
  const output = text(program.process.stdout);
  await once(program.process.stdout, "data");
  program.process.kill("SIGTERM");
  expect(await output).toBe("ready\ncleaned\n");
  expect(await ended).toEqual([5, null]);
});

it("what it left behind ends with it, daemons too", async () => {
  const mark = randomUUID();
  const program = start(`(setsid bash -c 'trap "" TERM HUP; sleep 100; : ${mark}' &) ; exit 3`);
  expect(await exitOf(program)).toEqual([3, null]);
  expect(processesWith(mark)).toEqual([]);
});

it("killTree ends all of it, also what ignores signals", async () => {
  const mark = randomUUID();
  const program = start(
    `trap '' TERM; (setsid bash -c 'trap "" TERM; sleep 100; : daemon ${mark}' &) ; sleep 100; : ${mark}`,
  );
  await untilPresent(`daemon ${mark}`);
  const ended = exitOf(program);
  program.killTree();
  await ended;
  expect(processesWith(mark)).toEqual([]);
});

it("nothing survives when this process is killed with SIGKILL", async () => {
  const mark = randomUUID();
  const script = join(import.meta.dirname, "../testing/supervise-for-ever.ts");
  const host = spawn(process.execPath, ["--no-warnings", script, helper ?? "", mark], { stdio: "ignore" });
  const running = await untilPresent(`daemon ${mark}`);
  host.kill("SIGKILL");
  await once(host, "exit");
  expect(running).not.toEqual([]);
  expect(await untilGone(mark)).toEqual([]);
});

it("without a helper the program runs in a group of its own that killTree ends", async () => {
  const mark = randomUUID();
  const program = spawnSupervised({
    command: "/bin/sh",
    args: ["-c", `sleep 100 & sleep 100; : ${mark}`],
    cwd: "/",
    env: { PATH: process.env.PATH ?? "" },
    helper: undefined,
  });
  await untilPresent(mark);
  const ended = exitOf(program);
  program.killTree();
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(await untilGone(mark)).toEqual([]);
});

/** Starts a program with a daemon in a session of its own, and waits until that runs. */
async function startWithDaemon(by: string | undefined): Promise<{ program: SupervisedProcess; daemon: number }> {
  const program = spawnSupervised({
    command: "/bin/sh",
    args: ["-c", `(setsid bash -c 'trap "" TERM HUP; echo $$; exec sleep 100' &) ; read line`],
    cwd: "/",
    env: { PATH: process.env.PATH ?? "" },
    helper: by,
  });
  const [line] = (await once(program.process.stdout, "data")) as [Buffer];
  return { program, daemon: Number(line.toString()) };
}

/** A zombie is not running. Its state says so: the command line is also empty while a process becomes another program. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // It has ended.
  }
}

it.each([
  ["without a helper", () => undefined],
  ["whose supervisor was killed", () => helper],
])("a daemon of a program %s is found and ended after its end", async (_, helperOf) => {
  const { program, daemon } = await startWithDaemon(helperOf());
  const ended = exitOf(program);
  program.process.kill("SIGKILL"); // the supervisor, or without one the program itself
  await ended;
  expect(isRunning(daemon)).toBe(true); // so there is something to end
  await program.endLeftovers();
  expect(isRunning(daemon)).toBe(false);
});

it("the daemons of other programs are left alone", async () => {
  const [one, other] = await Promise.all([startWithDaemon(helper), startWithDaemon(helper)]);
  const ended = exitOf(one.program);
  one.program.process.kill("SIGKILL");
  await ended;
  await one.program.endLeftovers();
  expect([one, other].map(({ daemon }) => isRunning(daemon))).toEqual([false, true]);
  const otherEnded = exitOf(other.program);
  other.program.killTree();
  await otherEnded;
});
