// A program that talks over its own streams, sandboxed like a command.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { untilGone, untilPresent } from "../../../../test/support/processes.ts";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { type Program, startProgram } from "./start-program.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

function start(place: SandboxedPlace, script: string): Program {
  const command = ["/bin/bash", "-c", script] as const;
  const program = startProgram({ enforcement, policy: place.policy(), command, cwd: place.folder.at("work") });
  if ("message" in program) throw new Error(program.message);
  return program;
}

it("reads what we write, and answers on two streams", async () => {
  using place = new SandboxedPlace();
  const program = start(place, "while read line; do echo out $line; echo err $line >&2; done; exit 4");
  program.stdin.end("one\ntwo\n");
  expect(await Promise.all([text(program.stdout), text(program.stderr)])).toEqual([
    "out one\nout two\n",
    "err one\nerr two\n",
  ]);
  expect(await program.ended).toEqual({ ended: "exit", exitCode: 4 });
});

it("does not run the user's ~/.bashrc, though bash takes its socket for a connection from elsewhere", async () => {
  using place = new SandboxedPlace();
  vi.stubEnv("SHLVL", undefined);
  vi.stubEnv("HOME", place.folder.at("work"));
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(place.folder.at("work/.bashrc"), "echo from bashrc\n");
  const program = start(place, "echo from the program");
  program.stdin.end();
  expect(await text(program.stdout)).toBe("from the program\n");
});

it("is sandboxed", async () => {
  using place = new SandboxedPlace();
  const program = start(place, `echo x > inside; echo x > ${place.folder.at("outside/new")}`);
  await program.ended;
  expect(existsSync(place.folder.at("work/inside"))).toBe(true);
  expect(existsSync(place.folder.at("outside/new"))).toBe(false);
});

it("can clean up when it is asked to end", async () => {
  using place = new SandboxedPlace();
  const program = start(place, "trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.05; done");
  const output = text(program.stdout);
  await once(program.stdout, "data");
  program.terminate();
  expect(await program.ended).toEqual({ ended: "exit", exitCode: 5 });
  expect(await output).toBe("ready\ncleaned\n");
});

it("is ended with everything it started", async () => {
  using place = new SandboxedPlace();
  const mark = randomUUID();
  const program = start(place, `trap '' TERM; (setsid bash -c 'sleep 100; : daemon ${mark}' &) ; sleep 100; : ${mark}`);
  await untilPresent(`daemon ${mark}`);
  program.kill();
  expect(await program.ended).toEqual({ ended: "cancelled" });
  expect(await untilGone(mark)).toEqual([]);
});

it("is refused where there is no sandbox, or where it does not exist", async () => {
  using place = new SandboxedPlace();
  const options = { policy: place.policy(), command: ["/no/such/program"], cwd: place.folder.at("work") } as const;
  const none: Enforcement = { kind: "unavailable", reason: "there is none.", remedy: "Get one." };
  expect(startProgram({ ...options, enforcement: none })).toMatchObject({
    ended: "refused",
    code: "sandbox_unavailable",
  });
  const program = startProgram({ ...options, enforcement });
  expect("ended" in program && (await program.ended)).toMatchObject({ ended: "refused", code: "cannot_start" });
});
