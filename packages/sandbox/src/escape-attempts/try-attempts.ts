// Runs escape attempts, each in a world of its own, and says which got out: something outside changed, a secret was seen,
// a listener heard something, or the attempt itself got what it must not get.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { SessionLoopback } from "../loopback/session-loopback.ts";
import type { Policy } from "../policy/policy.ts";
import { runCommand } from "../run-command/run-command.ts";
import type { Attempt } from "./attempts.ts";
import { secretText, World } from "./world.ts";

export interface Outcome {
  readonly name: string;
  /** Describes the escape; undefined if there was none. */
  readonly escape: string | undefined;
  readonly output: string;
}

const run = promisify(execFile);

/** Compiles test-data/attempt.c into a folder that every user may read, with a folder for worlds that every user may write to. */
export async function compileAttempts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-attempts-"));
  const source = join(import.meta.dirname, "../../test-data/attempt.c");
  await chmod(folder, 0o755);
  await mkdir(join(folder, "worlds"));
  await chmod(join(folder, "worlds"), 0o777);
  await run("cc", ["-O1", "-pthread", "-o", join(folder, "attempt"), source]);
  return join(folder, "attempt");
}

interface Stage {
  readonly enforcement: Enforcement;
  readonly program: string;
  readonly world: World;
  readonly policy: Policy;
  readonly loopback: string | undefined;
}

async function tryEscape(attempt: Attempt, { enforcement, program, world, policy, loopback }: Stage): Promise<Outcome> {
  const env = await environment(world, program, attempt.script);
  const before = world.snapshot();
  const result = await runCommand({
    enforcement,
    policy,
    command: attempt.script,
    cwd: world.workspace,
    env,
    timeout: 20_000,
    loopback,
  });
  if (attempt.name.includes("daemon")) await setTimeout(250); // its chance to come back
  for (let i = 0; i < 3; i++) await setImmediate(); // and the listeners' chance to tell what they heard
  const output = result.ended === "refused" ? result.message : result.output.text;
  return { name: attempt.name, escape: findEscape(world, before, result.ended, output), output };
}

function findEscape(world: World, before: string, ended: string, output: string): string | undefined {
  if (ended === "refused" || ended === "timeout") return `the attempt was not made: ${ended}`;
  if (output.includes(secretText)) return "a secret was seen";
  if (output.includes("ESCAPED")) return "the attempt got what it wanted";
  if (world.heard.length > 0) return `heard outside: ${world.heard.join(", ")}`;
  const after = world.snapshot();
  if (after === before) return existsSync(`/dev/shm/signalbox-${world.bystander.pid}`) ? "shared memory" : undefined;
  const old = new Set(before.split("\n"));
  return `changed: ${after.split("\n").find((line) => !old.has(line)) ?? "something is gone"}`;
}

async function environment(world: World, program: string, script: string): Promise<Record<string, string>> {
  const handle = script.includes("$HANDLE") ? await encodeHandle(program, join(world.data, "signalbox.db")) : "";
  const bystander = String(world.bystander.pid);
  const group = (await readFile(`/proc/${bystander}/stat`, "utf8")).split(" ")[4] ?? "0";
  return {
    ATTEMPT: program,
    OUT: world.outside,
    DATA: world.data,
    HOME: world.home,
    // Commands get a file of ours: without namespaces git stops at settings that it may not open.
    GIT_CONFIG_GLOBAL: "/dev/null",
    HOST: String(process.pid),
    BYSTANDER: bystander,
    BYSTANDER_GROUP: group,
    HANDLE: handle,
    LOGINS: world.loginFiles.join(" "),
    ABSTRACT: world.abstractName,
    TCP: String(world.ports.tcp),
    TCP6: String(world.ports.tcp6),
    UDP: String(world.ports.udp),
  };
}

/** Returns the handle that an attacker who guesses long enough would find. */
async function encodeHandle(program: string, path: string): Promise<string> {
  const { stdout } = await run(program, ["print-handle", path]);
  return stdout;
}

/** Several at a time, because most of an attempt is waiting. A world is used again as long as nothing happened to it. */
export async function tryAll(
  enforcement: Enforcement,
  attempts: readonly Attempt[],
  program: string,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...attempts];
  const worker = async () => {
    // As commands of a session run: they share a loopback where there can be one.
    await using shared = SessionLoopback.create(enforcement, join(dirname(program), "worlds"));
    const loopback = await shared?.open();
    while (waiting.length > 0) {
      await using world = await World.open(program);
      // One for all commands, as a session has it.
      const policy = world.policy();
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const outcome = await tryEscape(next, { enforcement, program, world, policy, loopback });
        outcomes.push(outcome);
        if (outcome.escape !== undefined) break;
        world.renewWorkspace();
      }
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return outcomes;
}
