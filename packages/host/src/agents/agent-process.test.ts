import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHelper } from "@signalbox/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeEnding, describeOutput } from "./agent-exit.ts";
import { AgentProcess, type AgentProcessOptions } from "./agent-process.ts";
import { openProcessTable } from "./process-table.ts";
import type { AgentDefinition } from "./registry.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-agents-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Words = Partial<AgentDefinition>;

function start(code: string, words: Words = {}, options: AgentProcessOptions = {}) {
  const lines: string[] = [];
  const agent = { command: process.execPath, args: ["-e", code], ...words };
  const started = new AgentProcess(agent, folder, (line) => void lines.push(line.toString()), options);
  return { agent: started, lines };
}

const table = openProcessTable();
const isRunning = (pid: number) => table.find([pid]).length > 0;

/** A process that writes its pid, hears no TERM and never ends by itself. The file appears with its content: others act as soon as it is there. */
const deaf = (file: string) =>
  `process.on("SIGTERM", () => {}); const { writeFileSync, renameSync } = require("fs");
   writeFileSync(${JSON.stringify(`${file}.new`)}, String(process.pid)); renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});
   setInterval(() => {}, 1000);`;

async function pidIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file)).toBe(true);
  return Number(readFileSync(file, "utf8"));
}

// With the supervisor where it is built, and always as on a machine without a compiler.
const ways = [null, findHelper()].filter((helper) => helper !== undefined);

describe.each(ways)("an agent's process, supervised by %s", (helper) => {
  it("reports how it ended, with the end of stderr and of other output", async () => {
    const { agent, lines } = start(
      `console.log('{"a":1}'); console.log("Welcome!"); console.error("no \\u001b[31mkey\\u001b[0m found"); process.exitCode = 3`,
      {},
      { helper },
    );
    const exit = await agent.exited;
    expect(exit.what).toBe("exited with code 3");
    expect(lines).toEqual(['{"a":1}']);
    expect(describeOutput(exit)).toBe("no key found\nOn stdout, instead of messages:\nWelcome!");
  });

  it("[R4] has ended when every line was handled, also where one takes long", async () => {
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const lines = ["slow", "next", "last"].map((name) => JSON.stringify({ name }));
    const code = `process.stdout.write(${JSON.stringify(lines.slice(0, 2).join("\n"))} + "\\n", () => setTimeout(() => console.log('${lines[2]}'), 20))`;
    const agent = new AgentProcess(
      { command: process.execPath, args: ["-e", code] },
      folder,
      (line) => {
        seen.push(line.toString());
        return line.includes("slow") ? gate.promise : undefined;
      },
      { helper },
    );
    await expect.poll(() => seen).toEqual(lines.slice(0, 1));
    // Longer than it takes an agent that keeps its output open and says nothing.
    setTimeout(() => gate.resolve(), 1500);
    await agent.exited;
    expect(seen).toEqual(lines);
  });

  it("reports the signal that ended it", async () => {
    const { agent } = start(`process.kill(process.pid, "SIGKILL")`, {}, { helper });
    expect((await agent.exited).what).toBe("was ended by SIGKILL");
  });

  it("keeps only the end of a flood on stderr", async () => {
    const { agent } = start(`process.stderr.write("x".repeat(3_000_000) + "the end")`, {}, { helper });
    const { stderr } = await agent.exited;
    expect(stderr.length).toBeLessThanOrEqual(4000);
    expect(stderr).toMatch(/xthe end$/);
  });

  it("ends a daemon that left its group, also when the agent killed what supervises it", async () => {
    const file = join(folder, "daemon");
    const daemon = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(deaf(file))}], { detached: true, stdio: "ignore" })`;
    const killParent = helper === null ? "" : "process.kill(process.ppid, 'SIGKILL');";
    const { agent } = start(
      `${daemon}; const wait = setInterval(() => { if (!require("fs").existsSync(${JSON.stringify(file)})) return; clearInterval(wait); ${killParent} process.exit(0); }, 5)`,
      {},
      { helper },
    );
    const pid = await pidIn(file);
    await agent.exited;
    expect(isRunning(pid)).toBe(false);
  });

  it("[R8] kills an agent that ignores a stop, with everything it started", async () => {
    const [own, child] = [join(folder, "own"), join(folder, "child")];
    const { agent } = start(
      `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(deaf(child))}], { stdio: "inherit" }); ${deaf(own)}`,
      {},
      { helper },
    );
    const pids = [await pidIn(own), await pidIn(child)];
    await agent.stop();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    expect((await agent.exited).what).toMatch(/SIGKILL|137/);
  });

  it("[R8] ends what an agent left running when it exited", async () => {
    const child = join(folder, "child");
    const { agent } = start(
      `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(deaf(child))}], { stdio: "inherit" });
       setInterval(() => require("fs").existsSync(${JSON.stringify(child)}) && process.exit(0), 10)`,
      {},
      { helper },
    );
    const pid = await pidIn(child);
    expect((await agent.exited).what).toBe("exited with code 0");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  // Others are waited for a second. Measured again when the machine is busy for a moment.
  it("sends a signal without waiting to an agent that does not end with its stdin", { retry: 2 }, async () => {
    const own = join(folder, "own");
    const { agent } = start(
      `process.on("SIGTERM", () => process.exit(7)); require("fs").writeFileSync(${JSON.stringify(own)}, "1"); setInterval(() => {}, 1000)`,
      { quirks: { endsAtStdinEnd: false } },
      { helper },
    );
    await pidIn(own);
    const before = performance.now();
    await agent.stop();
    expect((await agent.exited).what).toBe("exited with code 7");
    expect(performance.now() - before).toBeLessThan(900);
  });

  it("sends TERM to everything the agent started, before KILL", async () => {
    const [own, child] = [join(folder, "own"), join(folder, "child")];
    const told = join(folder, "told");
    const polite = (file: string, then: string) =>
      `process.on("SIGTERM", () => { ${then} process.exit(0); }); require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000);`;
    const inner = polite(child, `require("fs").writeFileSync(${JSON.stringify(told)}, "yes");`);
    const { agent } = start(
      `const inner = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "ignore" });
       ${polite(own, "return inner.on('exit', () => process.exit(0));")}`,
      { quirks: { endsAtStdinEnd: false } },
      { helper },
    );
    await pidIn(own);
    await pidIn(child);
    await agent.stop();
    expect(existsSync(told)).toBe(true);
  });

  it("reports a missing folder instead of throwing", async () => {
    const agent = new AgentProcess({ command: process.execPath, args: ["-e", ""] }, join(folder, "nowhere"), () => {}, {
      helper,
    });
    expect((await agent.exited).what).toBe(
      `could not be started: its folder ${join(folder, "nowhere")} does not exist.`,
    );
    await agent.stop();
    await expect(agent.send("{}")).rejects.toThrow("The agent is not running.");
  });
});

describe("starting an agent", () => {
  it("says how to install a missing agent", async () => {
    const { agent } = start("", {
      command: "no-such-agent-anywhere",
      label: "Missing",
      install: "npm install -g missing@1.0.0",
    });
    expect(await agent.exited).toMatchObject({
      what: "could not be started: the program no-such-agent-anywhere of Missing was not found. Install it with: npm install -g missing@1.0.0",
      wasStarted: false,
    });
  });

  it.each(["/bin/true", "/bin/false", "/bin/echo"])(
    "says that the helper does not work where it is %s",
    async (helper) => {
      const agent = new AgentProcess({ command: process.execPath, args: ["-e", ""] }, folder, () => {}, { helper });
      expect(await agent.exited).toMatchObject({
        what: `could not be started: the sandbox helper ${helper} does not work. Build it again: node packages/sandbox/native/build.mjs`,
        wasStarted: false,
      });
    },
  );

  it("ends a sentence about it so that a command in it can be copied", () => {
    const exit = { what: "exited with code 1", wasStarted: true, stderr: "", junk: "" };
    expect(describeEnding(exit)).toBe("exited with code 1.");
    expect(describeEnding(exit, " before it answered")).toBe("exited with code 1 before it answered.");
    const what = "could not be started: it was not found. Install it with: npm install -g missing";
    expect(describeEnding({ ...exit, what, wasStarted: false }, " before it answered")).toBe(what);
  });

  it("names the missing package that its program needs", async () => {
    const needs = { npmPackage: "@missing/package", folder };
    const { agent } = start("", { label: "Somebody", needs, install: "npm install --prefix x @missing/package" });
    expect((await agent.exited).what).toBe(
      "could not be started: the package @missing/package of Somebody was not found. Install it with: npm install --prefix x @missing/package",
    );
  });

  it("gives it the user's environment without the host's token", async () => {
    const { agent, lines } = start(
      "const { SIGNALBOX_TOKEN: token = null, PATH, HOME, AN_AGENTS_MODE } = process.env; console.log(JSON.stringify({ token, PATH, HOME, AN_AGENTS_MODE }))",
      { env: { SIGNALBOX_TOKEN: "secret" }, userEnv: { defaults: { AN_AGENTS_MODE: "approve", HOME: "/nowhere" } } },
    );
    await agent.exited;
    const { PATH, HOME } = process.env;
    expect(JSON.parse(lines[0] ?? "")).toEqual({ token: null, PATH, HOME, AN_AGENTS_MODE: "approve" });
  });
});
