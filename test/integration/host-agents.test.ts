// Agents as the host sees them: listed, tried, started with the user's environment, and gone with everything they started,
// whatever happens to the host.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerMessage } from "@signalbox/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { fakeAgentFile, script } from "../support/fake-agent/script.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { isRunning } from "../support/processes.ts";
import { TestScreen } from "../support/screen.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface OwnAgent {
  readonly command?: string;
  readonly args?: readonly string[];
}

/** A data folder whose config has these agents; the fake one unless it says otherwise. */
function dataFolder(folder: TemporaryFolder, agents: Readonly<Record<string, OwnAgent>>): string {
  const data = folder.in("data");
  mkdirSync(data);
  const rows = Object.entries(agents).map(([id, { command = process.execPath, args = [] }]) => {
    const own = command === process.execPath ? ["--no-warnings", fakeAgentFile, ...args] : args;
    return [id, { command, args: own, label: `The ${id} one` }];
  });
  writeFileSync(join(data, "config.json"), JSON.stringify({ agents: Object.fromEntries(rows) }));
  return data;
}

async function startThread(screen: TestScreen, agent_id: string, cwd: string): Promise<string> {
  const created = await screen.ask("session.create", { agent_id, cwd });
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: created.thread_id ?? "" });
  return created.thread_id ?? "";
}

async function run(screen: TestScreen, threadId: string, text: string): Promise<void> {
  const prompt = [{ type: "text", text }];
  await screen.request({ control: "run.submit", thread_id: threadId, prompt_id: "p", prompt });
}

const isTurnEnd = (message: ServerMessage) =>
  message.type === "tinyvex.update" && message.stream === "turns" && "row" in message && message.row.status === "ended";

/** What an agent does that starts something which leaves its process group, and tells the pids of both. */
const leavesDaemon = (file: string) =>
  `const { spawn } = require("child_process");
   const daemon = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
   require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify([process.pid, daemon.pid]));
   process.on("SIGTERM", () => {});
   setInterval(() => {}, 1000);
   require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
     const { id, method } = JSON.parse(line);
     const result = method === "initialize" ? { protocolVersion: 1 } : { sessionId: "s" };
     if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
   });`;

async function pidsIn(file: string): Promise<readonly number[]> {
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8").endsWith("]")).toBe(true);
  return JSON.parse(readFileSync(file, "utf8")) as readonly number[];
}

describe("the agents of a host", () => {
  const folder = new TemporaryFolder();
  let host: HostProcess;
  beforeAll(async () => {
    const data = dataFolder(folder, {
      mine: {},
      lost: { command: "no-such-agent-anywhere" },
      dead: { args: ["--script", script({ log: "no key" }, { exit: 3 })] },
      printing: {
        args: [
          "--script",
          script({ raw: "Welcome to the agent!\n" }, { log: "the config file is broken" }, { exit: 4 }),
        ],
      },
    });
    host = await HostProcess.start(data);
  });
  afterAll(async () => {
    await host.stop();
    folder[Symbol.dispose]();
  });

  it("are listed: ours, the known ones and the user's own, ready or with what to do", async () => {
    using screen = await TestScreen.connect(host.ready);
    const rows = (await screen.query("agents.list", {})).rows;
    const row = (id: string) => rows.find((each) => each.id === id);
    expect(row("demo")).toMatchObject({ readiness: "ready", reason: null });
    expect(row("mine")).toMatchObject({ label: "The mine one", readiness: "ready" });
    expect(row("lost")).toMatchObject({ readiness: "not_installed" });
    for (const id of [
      "claude-code",
      "codex",
      "gemini",
      "opencode",
      "goose",
      "qwen",
      "copilot",
      "cline",
      "grok",
      "pi",
    ]) {
      expect(row(id)?.install).toMatch(/^npm install /);
    }
  });

  it("are tested step by step", async () => {
    using screen = await TestScreen.connect(host.ready);
    const { test: good } = await screen.ask("agents.test", { agent_id: "mine" });
    expect(good).toMatchObject({ readiness: "ready", reason: null });
    expect(good?.steps.map(({ step, ok }) => `${step} ${ok}`)).toEqual([
      "find true",
      "start true",
      "initialize true",
      "session true",
      "stop true",
    ]);
    const { test: dead } = await screen.ask("agents.test", { agent_id: "dead" });
    expect(dead).toMatchObject({ readiness: "broken", output: "no key" });
    const rows = (await screen.query("agents.list", {})).rows;
    expect(rows.find(({ id }) => id === "dead")).toMatchObject({ readiness: "broken" });
  });

  it("are shown while they start, on every screen, to the end", async () => {
    using screen = await TestScreen.connect(host.ready);
    using other = await TestScreen.connect(host.ready);
    const steps = async (agent_id: string) => {
      other.received.length = 0;
      await screen.request({ control: "session.create", agent_id, cwd: folder.path });
      await other.request({ control: "tvx.ping" });
      return other.received.flatMap((message) =>
        message.type === "host.progress" && message.task === "agents.start"
          ? [[message.message, message.finished]]
          : [],
      );
    };
    const label = expect.stringMatching(/^Starting .* …$/);
    expect(await steps("mine")).toEqual([
      [label, false],
      ["Opening a session …", false],
      ["Ready.", true],
    ]);
    expect(await steps("dead")).toEqual([
      [label, false],
      [expect.stringContaining("exited with code 3"), true],
    ]);
  });

  it("fail with the end of what they printed, on stderr and instead of messages", async () => {
    using screen = await TestScreen.connect(host.ready);
    const answer = await screen.request({ control: "session.create", agent_id: "printing", cwd: folder.path });
    expect(answer).toMatchObject({ type: "tinyvex.error", code: "agent_failed" });
    const { message } = answer as { message: string };
    expect(message).toContain("exited with code 4");
    expect(message).toContain("the config file is broken");
    expect(message).toContain("Welcome to the agent!");
  });

  it("have the user's environment without the host's token", async () => {
    vi.stubEnv("SIGNALBOX_TOKEN", "a-secret-of-the-host");
    vi.stubEnv("A_KEY_OF_THE_USER", "theirs");
    using own = new TemporaryFolder();
    await using theirs = await HostProcess.start(dataFolder(own, { mine: {} }));
    using screen = await TestScreen.connect(theirs.ready);
    const threadId = await startThread(screen, "mine", own.path);
    await run(screen, threadId, script({ environment: "SIGNALBOX_TOKEN" }, { environment: "A_KEY_OF_THE_USER" }));
    await screen.waitFor(isTurnEnd);
    const said = screen.received.flatMap((message) =>
      message.type === "tinyvex.update" && message.stream === "messages" && message.role === "assistant"
        ? [message.text_delta]
        : [],
    );
    expect(said.join("")).toBe('null"theirs"');
  });
});

describe("what an agent started", () => {
  it("[R8] is gone when the host is killed, also what left the agent's process group", async () => {
    using folder = new TemporaryFolder();
    const note = folder.in("pids");
    const args = ["-e", leavesDaemon(note)];
    const data = folder.in("data");
    mkdirSync(data);
    const agents = { daemon: { command: process.execPath, args, label: "Daemon" } };
    writeFileSync(join(data, "config.json"), JSON.stringify({ agents }));
    await using host = await HostProcess.start(data);
    using screen = await TestScreen.connect(host.ready);
    await startThread(screen, "daemon", folder.path);
    const pids = await pidsIn(note);
    expect(pids.filter(isRunning)).toEqual(pids);
    await host.stop("SIGKILL");
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("[R8] is ended by the next host when the killed one left it running", async () => {
    // As on a machine without a compiler: no supervisor.
    vi.stubEnv("SIGNALBOX_SANDBOX_HELPER", "/nowhere/helper");
    using folder = new TemporaryFolder();
    const note = folder.in("pids");
    const data = folder.in("data");
    mkdirSync(data);
    const agents = { daemon: { command: process.execPath, args: ["-e", leavesDaemon(note)], label: "Daemon" } };
    writeFileSync(join(data, "config.json"), JSON.stringify({ agents }));
    const host = await HostProcess.start(data);
    using screen = await TestScreen.connect(host.ready);
    await startThread(screen, "daemon", folder.path);
    const pids = await pidsIn(note);
    await host.stop("SIGKILL");
    expect(pids.filter(isRunning)).toEqual(pids);
    await using next = await HostProcess.start(data);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    expect(await next.stop()).toBe(0);
  });
});
