// What runCommand promises its callers: the ending, the output, and that nothing is left.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { descendants, processesWith, untilGone, untilPresent } from "../../../../test/support/processes.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { createPolicy } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { type CommandOptions, runCommand } from "./run-command.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);
afterEach(() => vi.unstubAllEnvs());

function place() {
  const folder = new TemporaryFolder({
    "work/file": "",
    "data/signalbox.db": "secret",
    "home/.ssh/id": "secret",
    temp: null,
  });
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [folder.at("work")],
    dataFolder: folder.at("data"),
    homeFolder: folder.at("home"),
    tempFolder: folder.at("temp"),
  });
  const run = async (command: CommandOptions["command"], more: Partial<CommandOptions> = {}) => {
    const result = await runCommand({ enforcement, policy, command, cwd: folder.at("work"), ...more });
    if (result.ended === "refused") throw new Error(result.message);
    return result;
  };
  return { folder, policy, run, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

describe("the ending", () => {
  it("is the exit code", async () => {
    using here = place();
    expect(await here.run("exit 3")).toMatchObject({ ended: "exit", exitCode: 3 });
    expect(await here.run(["/bin/sh", "-c", "exit 0"])).toMatchObject({ ended: "exit", exitCode: 0 });
  });

  it("is the signal that ended it", async () => {
    using here = place();
    expect(await here.run("kill -SEGV $$")).toMatchObject({ ended: "signal", signal: "SIGSEGV" });
  });

  it("is the timeout, and the whole tree is gone, daemons too", async () => {
    using here = place();
    const mark = randomUUID();
    const daemon = `setsid nohup bash -c 'sleep 100; : ${mark}' > /dev/null 2>&1 & sleep 100`;
    expect(await here.run(daemon, { timeout: 200 })).toMatchObject({ ended: "timeout", timeout: 200 });
    expect(await untilGone(mark)).toEqual([]);
  });

  it("is the cancel, also of a command that ignores signals", async () => {
    using here = place();
    const mark = randomUUID();
    const controller = new AbortController();
    const script = `trap '' TERM INT HUP; echo ready; while :; do sleep 1; done # ${mark}`;
    const onOutput = () => controller.abort();
    expect(await here.run(script, { signal: controller.signal, onOutput })).toMatchObject({ ended: "cancelled" });
    expect(await untilGone(mark)).toEqual([]);
  });

  it("is the cancel that came before the start", async () => {
    using here = place();
    expect(await here.run("touch started", { signal: AbortSignal.abort() })).toMatchObject({ ended: "cancelled" });
    expect(readdirSync(here.folder.at("work"))).toEqual(["file"]);
  });

  it("leaves nothing running that the command left behind", async () => {
    using here = place();
    const mark = randomUUID();
    const result = await here.run(`(setsid bash -c 'sleep 100; : ${mark}' &) ; sleep 100 & echo done`);
    expect(result).toMatchObject({ ended: "exit", exitCode: 0 });
    expect(processesWith(mark)).toEqual([]);
  });
});

describe("the output", () => {
  it("is both streams in the order in which they were written", async () => {
    using here = place();
    const result = await here.run("for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done");
    expect(result.output.text).toBe([1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join(""));
  });

  it("can be written through /dev/stdout and /dev/stderr", async () => {
    using here = place();
    const result = await here.run("echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr");
    expect(result.output.text).toBe("a\nb\nc\nc\n");
  });

  it("is streamed as it comes, with characters whole across chunks", async () => {
    using here = place();
    const pieces: string[] = [];
    const script = String.raw`printf 'z\303'; sleep 0.05; printf '\274rich \360\237'; sleep 0.05; printf '\232\202'`;
    const result = await here.run(script, { onOutput: (text) => pieces.push(text) });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe("zürich 🚂");
    expect(result.output.text).toBe("zürich 🚂");
  });

  it("that is no text does no harm", async () => {
    using here = place();
    expect((await here.run(String.raw`printf '\377\376ok'`)).output.text).toBe("\uFFFD\uFFFDok");
  });

  it("that is long is streamed whole; the result has both ends", async () => {
    using here = place();
    let text = "";
    const result = await here.run("seq 1 900000", { onOutput: (piece) => (text += piece) });
    expect(text).toBe(Array.from({ length: 900_000 }, (_, index) => `${index + 1}\n`).join(""));
    expect(result.output).toMatchObject({ truncated: true, bytes: text.length });
    const megabyte = 1024 * 1024;
    const gap = `\n[${text.length - 4 * megabyte} bytes are left out here]\n`;
    expect(result.output.text === text.slice(0, megabyte) + gap + text.slice(-3 * megabyte)).toBe(true);
  });

  it("of a flood ends the command at the limit", async () => {
    using here = place();
    const result = await here.run("yes flood", { limits: { output: 3_000_000 } });
    expect(result).toMatchObject({ ended: "limit", limit: "output", most: 3_000_000 });
    expect(result.output.bytes).toBe(3_000_000);
  });

  it("listener that throws ends the command and gets its error back", async () => {
    using here = place();
    const mark = randomUUID();
    const fail = () => {
      throw new Error("no more");
    };
    await expect(here.run(`echo x; sleep 100; : ${mark}`, { onOutput: fail })).rejects.toThrow("no more");
    expect(await untilGone(mark)).toEqual([]);
  });
});

describe("what is refused", () => {
  const refusal = async (more: Partial<CommandOptions>) => {
    using here = place();
    return await runCommand({
      enforcement,
      policy: here.policy,
      command: "true",
      cwd: here.folder.at("work"),
      ...more,
    });
  };

  it("without a sandbox, with the reason and the remedy", async () => {
    const unavailable: Enforcement = { kind: "unavailable", reason: "there is none.", remedy: "Get one." };
    expect(await refusal({ enforcement: unavailable })).toMatchObject({
      ended: "refused",
      code: "sandbox_unavailable",
      message: "commands are refused because there is none. Get one.",
    });
  });

  it("in a folder that is missing or hidden", async () => {
    using here = place();
    const at = (cwd: string) => runCommand({ enforcement, policy: here.policy, command: "true", cwd });
    expect(await at(here.folder.at("nowhere"))).toMatchObject({
      code: "folder_not_usable",
      message: expect.stringContaining("does not exist"),
    });
    expect(await at(here.folder.at("data"))).toMatchObject({
      code: "folder_not_usable",
      message: expect.stringContaining("own-data"),
    });
    expect(await at("relative")).toMatchObject({ code: "folder_not_usable" });
  });

  it("a program that does not exist", async () => {
    expect(await refusal({ command: ["/no/such/program"] })).toMatchObject({
      code: "cannot_start",
      message: expect.stringContaining("/no/such/program: No such file or directory"),
    });
  });
});

describe("what was denied", () => {
  it("is named with path and rule", async () => {
    using here = place();
    const outside = here.folder.at("outside");
    const result = await here.run(`echo x > ${outside}; touch /etc/signalbox-test; mkdir ../made; exit 1`);
    expect(result.denials.map(({ what, path, rule }) => [what, path, rule])).toEqual([
      ["write", outside, "everything-else"],
      ["write", "/etc/signalbox-test", "system-folder"],
      ["write", here.folder.at("made"), "everything-else"],
    ]);
  });

  it("includes the network", async () => {
    using here = place();
    const result = await here.run(
      "getent hosts example.invalid; echo 'curl: (6) Could not resolve host: example.invalid'; exit 1",
    );
    expect(result.denials).toEqual([
      { what: "network", rule: "network-off", message: expect.stringContaining("network is off"), isCertain: false },
    ]);
  });

  it("does not include errors that have nothing to do with the sandbox", async () => {
    using here = place();
    const result = await here.run("echo 'file: Permission denied'; cat missing; ls ./nowhere");
    expect(result.denials).toEqual([]);
  });
});

it("our keys do not reach a command, its own variables do", async () => {
  using here = place();
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-very-secret");
  vi.stubEnv("SIGNALBOX_TOKEN", "token-very-secret");
  vi.stubEnv("MY_PROVIDER", "custom-very-secret");
  const result = await here.run("env", { env: { GREETING: "hello" }, secretNames: ["MY_PROVIDER"] });
  expect(result.output.text).not.toContain("very-secret");
  expect(result.output.text).toContain("GREETING=hello");
  expect(result.output.text).toMatch(/^PATH=/m);
});

it("nothing survives when this process is killed with SIGKILL", async () => {
  using here = place();
  const mark = randomUUID();
  const script = join(import.meta.dirname, "../testing/run-for-ever.ts");
  const host = spawn(process.execPath, [
    "--no-warnings",
    script,
    JSON.stringify({ enforcement, policy: here.policy }),
    here.folder.at("work"),
    mark,
  ]);
  const running = [await untilPresent(`sleep 1000; : ${mark}`), await untilPresent(`daemon ${mark}`)];
  host.kill("SIGKILL");
  await once(host, "exit");
  expect(running).not.toContainEqual([]);
  expect(await untilGone(mark)).toEqual([]);
});

it("many commands leave no process and no descriptor behind", { timeout: 60_000 }, async () => {
  using here = place();
  const runMany = async (count: number) => {
    let left = count;
    const worker = async () => {
      while (left-- > 0) expect(await here.run(["/bin/true"])).toMatchObject({ ended: "exit", exitCode: 0 });
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  };
  const descriptors = () => readdirSync("/proc/self/fd").length;
  // Node opens and keeps some descriptors when several commands first run at the same time, so warm up with as many as below.
  await runMany(8);
  // Two stay: the helper that stands by, and its process that waits for the next command.
  await expect.poll(() => descendants()).toHaveLength(2);
  const maxDescriptors = descriptors(); // those of the first commands may still be closing
  await runMany(rounds({ some: 80, all: 250 })); // the benchmark runs a thousand
  await vi.waitFor(
    () => {
      expect(descendants()).toHaveLength(2);
      expect(descriptors()).toBeLessThanOrEqual(maxDescriptors);
    },
    { timeout: 15_000 },
  );
});
