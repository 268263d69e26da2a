// `signalbox run` as scripts use it: the answer on stdout, tool calls on stderr, an exit code that tells how it went, and nothing left
// running; with a host that it starts, and through a host that runs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { EventRow, PermissionRow, RuleRow, ThreadSummaryRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import {
  askForm,
  askPermission,
  fakeAgentFile,
  type Step,
  script,
  toolCall,
  toolCallUpdate,
} from "../support/fake-agent/script.ts";
import { HostProcess, program, runProgram, runWarm, TemporaryFolder } from "../support/host-process.ts";
import { childrenOf, descendants, isRunning } from "../support/processes.ts";
import { sharedHost } from "../support/shared-host.ts";

const fakeAgent = ["--", process.execPath, fakeAgentFile];

/** No key of the machine's. */
const withoutKeys = {
  OPENAI_API_KEY: "",
  ANTHROPIC_API_KEY: "",
  GEMINI_API_KEY: "",
  GOOGLE_API_KEY: "",
  OPENROUTER_API_KEY: "",
  OLLAMA_HOST: "",
};

/** A turn that the fake agent plays, with its command on the command line. */
async function play(flags: readonly string[], ...steps: readonly Step[]) {
  await using host = await sharedHost();
  const data = host.process.ready.data_dir;
  const result = await runProgram([
    "run",
    "--data-dir",
    data,
    "--cwd",
    host.project,
    ...flags,
    script(...steps),
    ...fakeAgent,
  ]);
  return { ...result, data, project: host.project };
}

/** A data folder in which the fake agent is registered, for a host that runs. */
function registered(folder: TemporaryFolder): string {
  mkdirSync(folder.in("data"));
  const config = { agents: { fake: { command: process.execPath, args: [fakeAgentFile] } } };
  writeFileSync(folder.in("data/config.json"), JSON.stringify(config));
  return folder.in("data");
}

function begin(args: readonly string[], stdin: "pipe" | "ignore" = "ignore"): ChildProcess {
  return spawn(process.execPath, [program, "run", ...args], { stdio: [stdin, "pipe", "pipe"] });
}

/** Resolves when the process has printed `text`. */
function printed(child: ChildProcess, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      seen += piece;
      if (seen.includes(text)) resolve();
    });
  });
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe("a turn", () => {
  it("puts the answer on stdout, a line for each tool call on stderr, and keeps it all", async () => {
    const result = await play(
      [],
      { say: "Let me " },
      { say: "see." },
      toolCall("c1", { title: "Read `a.ts`", kind: "read" }),
      toolCallUpdate("c1", { status: "completed" }),
      toolCall("c2", { title: "Run \x1b[2Jit", kind: "execute" }),
      toolCallUpdate("c2", { status: "failed" }),
      { say: "Done." },
    );
    expect(result).toMatchObject({ code: 0, stdout: "Let me see.\n\nDone.\n" });
    expect(lines(result.stderr)).toEqual([
      expect.stringMatching(/^✓ Read `a\.ts` \(read, .*\)$/),
      expect.stringMatching(/^✗ Run it \(execute, .*\)$/),
    ]);
    const { stdout } = await runProgram(["threads", "--json", "--data-dir", result.data]);
    const threads = lines(stdout).map((line) => JSON.parse(line) as ThreadSummaryRow);
    expect(threads.filter(({ cwd }) => cwd === result.project)).toMatchObject([
      { agent_id: expect.stringContaining("node"), status: "closed", tool_call_count: 2 },
    ]);
  });

  it("with --json gives the events as they are stored", async () => {
    const { stdout, stderr, code, data } = await play(
      ["--json"],
      { say: "Hello" },
      toolCall("c1", { vendor: { x: 1 } }),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const events = lines(stdout).map((line) => JSON.parse(line) as EventRow);
    const kept = await runProgram(["show", events[0]?.thread_id ?? "", "--events", "--data-dir", data]);
    const all = lines(kept.stdout).map((line) => JSON.parse(line) as EventRow);
    // The end of the session comes after the turn.
    expect(all.slice(0, events.length)).toEqual(events);
    expect(events.at(-1)).toMatchObject({ kind: "signalbox/turn_ended", payload: { stop_reason: "end_turn" } });
    expect(events.find(({ kind }) => kind === "tool_call")?.payload).toMatchObject({ update: { vendor: { x: 1 } } });
  });

  it("misses nothing and doubles nothing in a long turn", async () => {
    const many = Array.from({ length: 300 }, (_one, index) => toolCall(`c${index}`, { status: "completed" }));
    const { stdout } = await play(["--json"], ...many);
    const events = lines(stdout).map((line) => JSON.parse(line) as EventRow);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.filter(({ kind }) => kind === "tool_call")).toHaveLength(300);
  });

  it.each<[string, number, readonly Step[], RegExp]>([
    ["the agent refuses", 2, [{ stop: "refusal" }], /The turn ended: the agent refused to go on\./],
    ["tokens run out", 4, [{ say: "x" }, { stop: "max_tokens" }], /reached the model.s length limit/],
    ["requests run out", 4, [{ stop: "max_turn_requests" }], /reached one of its limits/],
    ["the model fails", 3, [{ fail: { code: -32603, message: "no credit left" } }], /no credit left/],
    ["the agent dies", 3, [{ log: "segfault at 0" }, { exit: 7 }], /segfault at 0/],
    ["the agent cancels by itself", 130, [{ stop: "cancelled" }], /it was cancelled/],
    ["an unknown stop reason", 0, [{ stop: "bored" }], /^$/],
  ])("ends with the right exit code when %s", async (_what, code, steps, message) => {
    const result = await play([], ...steps);
    expect(result.stderr).toMatch(message);
    expect(result.code).toBe(code);
  });

  it("[R6] denies what no rule allows, and prints the rule that would", async () => {
    const steps = [toolCall("c1", { title: "Edit a", kind: "edit" }), askPermission("c1", { kind: "edit" })];
    const denied = await play([], ...steps);
    expect(denied.code).toBe(2);
    expect(denied.stdout).toContain('"optionId":"no"');
    expect(denied.stderr).toContain("denied because no rule allows it; --allow RULE would");
    const allowed = await play(["--allow", "kind:edit"], ...steps);
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain('"optionId":"yes"');
    const both = await play(["--allow", "all", "--deny", "kind:edit"], ...steps);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("denied by rule kind:edit");
  });

  it("cancels an elicitation, because no person is there, and prints so", async () => {
    const ask = askForm({ port: { type: "integer" } });
    const line = "not answered: Which port? (No screen was there to answer.)\n";
    // The agent is told that no person cancelled it.
    const stdout = '{"result":{"action":"cancel","_meta":{"signalbox/denied-by":"command"}}}\n';
    await using host = await sharedHost();
    const data = host.process.ready.data_dir;
    const flags = ["--data-dir", data, "--cwd", host.project, "--agent", "fake"];
    const through = await runProgram(["run", ...flags, script(ask)]);
    expect(through).toMatchObject({ code: 0, stdout, stderr: line });
    const { stdout: shown } = await runProgram(["show", "last", "--data-dir", data]);
    expect(shown).toContain("question: Which port? (cancelled: No screen was there to answer.)");
  });

  it("cancels the turn of an agent that offers no way to say no", async () => {
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    const ask = { ask: "session/request_permission", params: { toolCall: { toolCallId: "c1" }, options }, quiet: true };
    const { code, stderr } = await play([], toolCall("c1"), ask, { say: "never said" });
    expect(stderr).toContain("denied because no rule allows it");
    expect(code).toBe(2);
  });

  it("holds writes through the host to the same rules", async () => {
    using folder = new TemporaryFolder();
    const write = { ask: "fs/write_text_file", params: { path: folder.in("new.txt"), content: "hello" } };
    const inFolder = ["--cwd", folder.path];
    expect(await play(inFolder, write)).toMatchObject({ code: 2 });
    expect(existsSync(folder.in("new.txt"))).toBe(false);
    expect(await play([...inFolder, "--allow", "kind:edit,path:*.txt"], write)).toMatchObject({ code: 0 });
    expect(readFileSync(folder.in("new.txt"), "utf8")).toBe("hello");
  });

  it("[R8] cancels the turn at the first signal and leaves nothing running", async () => {
    using folder = new TemporaryFolder();
    const steps = script({ say: "working" }, { wait: 600_000 });
    const child = begin(["--data-dir", folder.in("data"), steps, ...fakeAgent]);
    await printed(child, "working");
    const children = childrenOf(child.pid ?? 0);
    expect(children.length).toBeGreaterThan(0);
    child.kill("SIGINT");
    expect(await ended(child)).toBe(130);
    await expect.poll(() => children.filter(isRunning)).toEqual([]);
    const { stdout } = await runProgram(["show", "last", "--json", "--data-dir", folder.in("data")]);
    expect(JSON.parse(stdout).turns).toMatchObject([{ status: "ended", stop_reason: "cancelled" }]);
  });

  it("ends immediately at the second signal, also with an agent that ignores a cancel", async () => {
    using folder = new TemporaryFolder();
    const steps = script({ say: "working" }, { wait: 600_000 });
    const child = begin(["--data-dir", folder.in("data"), steps, ...fakeAgent, "--deaf"]);
    await printed(child, "working");
    const children = childrenOf(child.pid ?? 0);
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect(await ended(child)).toBe(130);
    await expect.poll(() => children.filter(isRunning)).toEqual([]);
  });

  it("can be cancelled while the agent starts, also one that never answers", async () => {
    using folder = new TemporaryFolder();
    const mute = ["--", process.execPath, "-e", "process.stdin.resume(); setInterval(() => {}, 1000)"];
    const child = begin(["--data-dir", folder.in("data"), "hello", ...mute]);
    await expect.poll(() => childrenOf(child.pid ?? 0).length).toBeGreaterThan(0);
    child.kill("SIGINT");
    expect(await ended(child)).toBe(130);
  });

  it("reads the prompt from stdin when none is given", async () => {
    using folder = new TemporaryFolder();
    const args = ["run", "--data-dir", folder.in("data"), ...fakeAgent];
    expect(await runWarm({ args, stdin: "from stdin\n" })).toMatchObject({ code: 0, stdout: "from stdin\n" });
  });

  it("sends the prompt and what comes on stdin, both", async () => {
    using folder = new TemporaryFolder();
    const child = begin(["--data-dir", folder.in("data"), "words", ...fakeAgent], "pipe");
    const said = printed(child, "words\n\nfrom stdin\n");
    child.stdin?.end("from stdin\n");
    await said;
    expect(await ended(child)).toBe(0);
  });

  it("sets model and thinking where the agent offers them, and with --output json prints one object at the end", async () => {
    using folder = new TemporaryFolder();
    const option = (id: string, category: string) => {
      return { id, category, type: "select", name: id, currentValue: "small", options: [] };
    };
    const session = JSON.stringify({ configOptions: [option("m", "model"), option("t", "thought_level")] });
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } };
    const steps = script(
      { heard: "session/set_config_option" },
      { update: usage },
      toolCall("c1", { title: "Edit a" }),
      { ...askPermission("c1", { title: "Edit a" }), quiet: true },
    );
    const flags = ["--data-dir", folder.in("data"), "--model", "big", "--thinking", "high", "--output", "json"];
    const { stdout, stderr, code } = await runProgram(["run", ...flags, steps, ...fakeAgent, "--session", session]);
    const result: unknown = JSON.parse(stdout);
    expect(result).toMatchObject({
      thread_id: expect.any(String),
      turn_id: expect.stringMatching(/^turn-/),
      stop_reason: "end_turn",
      text: expect.stringMatching(/"configId":"t".*"value":"high"/),
      cost: { amount: 0.25, currency: "USD" },
      denied: [{ tool_call_id: "c1", title: "Edit a", decided_by: "command", rule: null }],
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("denied because no rule allows it") });
    const kept = await runProgram(["show", "last", "--events", "--data-dir", folder.in("data")]);
    expect(kept.stdout).toContain('"currentValue":"big"');
  });

  it("with a model that the agent cannot be told, or none at all, is wrong usage and says what to do", async () => {
    using folder = new TemporaryFolder();
    const fixed = await runProgram(["run", "--data-dir", folder.in("data"), "--model", "big", "hello", ...fakeAgent]);
    expect(fixed).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("does not let a client choose the model"),
    });
    const none = await runProgram(["run", "--data-dir", folder.in("data"), "hello"], withoutKeys);
    expect(none).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("OPENAI_API_KEY") });
  });

  it("is cancelled when its budget is spent, and says so where the cost is not known", async () => {
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } };
    const spent = await play(["--budget", "0.5"], { update: usage }, { wait: 600_000 });
    expect(spent).toMatchObject({ code: 4, stderr: expect.stringContaining("$0.5000: --budget 0.5 is spent.") });
    const unknown = await play(["--budget", "0.5"], { say: "hello" });
    expect(unknown).toMatchObject({ code: 0, stderr: expect.stringContaining("--budget had no effect") });
  });

  it("goes on in a thread from before, with the provider and the model it had", async () => {
    using folder = new TemporaryFolder();
    const flags = ["--data-dir", folder.in("data"), "--output", "json"];
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runProgram(["run", ...flags, ...args]);
      if (stdout === "") throw new Error(stderr);
      return { ...(JSON.parse(stdout) as Record<"thread_id" | "turn_id" | "text" | "model", string>), stderr };
    };
    const first = await run("--provider", "demo", "--cwd", folder.path, "hello");
    expect(first.model).toMatch(/^demo/);
    expect(first.stderr).toMatch(/Model: demo(:demo)?\n$/);
    const second = await run("--resume", "last", "/model");
    expect(second).toMatchObject({
      thread_id: first.thread_id,
      text: expect.stringContaining("The model is demo:demo."),
      // A command is answered without a model.
      model: null,
      stderr: "",
    });
    expect(second.turn_id).not.toBe(first.turn_id);
    const wrong = await runProgram(["run", ...flags, "--resume", "last", "--cwd", folder.path, "x"]);
    expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining("--cwd and --resume cannot be combined") });
  });

  it("ends quietly, with its turn, when its output is not read", async () => {
    using folder = new TemporaryFolder();
    const steps = script({ say: "a line\n" }, { wait: 300 }, { say: "a line\n", times: 50 }, { wait: 600_000 });
    const child = begin(["--data-dir", folder.in("data"), steps, ...fakeAgent]);
    await printed(child, "a line");
    child.stdout?.destroy();
    expect(await ended(child)).toBe(130);
  });
});

describe("turns without a running host", () => {
  it("[R8] share one that the first of them starts and that ends with the last of them", async () => {
    using folder = new TemporaryFolder();
    const data = registered(folder);
    const host = () => (JSON.parse(readFileSync(folder.in("data/run/host.json"), "utf8")) as { pid: number }).pid;
    const flags = ["--data-dir", data, "--cwd", folder.path];
    const together = ["one", "two", "three"].map((word) => {
      const agent = word === "two" ? fakeAgent : [];
      const child = begin([
        ...flags,
        ...(word === "two" ? [] : ["--agent", "fake"]),
        script({ say: word }, { wait: 600_000 }),
        ...agent,
      ]);
      return { child, said: printed(child, word) };
    });
    await Promise.all(together.map(({ said }) => said));
    const shared = host();
    for (const { child } of together) {
      expect(isRunning(shared)).toBe(true);
      child.kill("SIGINT");
      expect(await ended(child)).toBe(130);
    }
    await expect.poll(() => isRunning(shared)).toBe(false);
    const { stdout } = await runProgram(["threads", "--json", "--data-dir", data]);
    const threads = lines(stdout).map((line) => JSON.parse(line) as ThreadSummaryRow);
    expect(threads).toMatchObject([{ status: "closed" }, { status: "closed" }, { status: "closed" }]);
  });

  it("[R8] do not outlive a `run` that is killed", async () => {
    using folder = new TemporaryFolder();
    const child = begin(["--data-dir", folder.in("data"), script({ say: "working" }, { wait: 600_000 }), ...fakeAgent]);
    await printed(child, "working");
    const all = descendants(child.pid);
    expect(all.length).toBeGreaterThan(1);
    child.kill("SIGKILL");
    await expect.poll(() => all.filter(isRunning), { timeout: 15_000 }).toEqual([]);
  });

  it("have each their own environment, one after the other", async () => {
    using folder = new TemporaryFolder();
    mkdirSync(folder.in("data"));
    const code = "console.error(`has ${process.env.OWN_WORD}`); process.exit(1)";
    const config = { agents: { dies: { command: process.execPath, args: ["-e", code] } } };
    writeFileSync(folder.in("data/config.json"), JSON.stringify(config));
    for (const word of ["first", "second"]) {
      const run = await runProgram(["run", "--data-dir", folder.in("data"), "--agent", "dies", "hello"], {
        OWN_WORD: word,
      });
      expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining(`has ${word}`) });
    }
  });
});

describe("a turn through a running host", () => {
  it("is seen live by every screen and leaves the same thread", async () => {
    await using host = await sharedHost();
    const data = host.process.ready.data_dir;
    const screen = await host.screen();
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    const steps = script({ say: "one" }, { wait: 600_000 });
    const child = begin(["--agent", "fake", "--data-dir", data, "--cwd", host.project, steps]);
    const shown = await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" &&
        message.stream === "threads" &&
        "row" in message &&
        message.row.status === "running",
    );
    await printed(child, "one");
    // Every screen can also stop it.
    const thread_id = "row" in shown && "id" in shown.row ? shown.row.id : "";
    await screen.request({ control: "run.cancel", thread_id });
    expect(await ended(child)).toBe(130);
    const { stdout } = await runProgram(["threads", "--json", "--data-dir", data]);
    const threads = lines(stdout).map((line) => JSON.parse(line) as ThreadSummaryRow);
    expect(threads.filter(({ cwd }) => cwd === host.project)).toMatchObject([{ id: thread_id, status: "closed" }]);
  });

  it("obeys its own rules, which do not outlive it, and denies the rest", async () => {
    await using host = await sharedHost();
    const data = host.process.ready.data_dir;
    const screen = await host.screen();
    const rules = async () => {
      const answer = await screen.request({ control: "tvx.query", name: "rules.list" });
      return "rows" in answer ? (answer.rows as RuleRow[]) : null;
    };
    const before = await rules();
    const steps = script(
      toolCall("c1", { kind: "edit" }),
      askPermission("c1", { kind: "edit" }),
      toolCall("c2", { kind: "fetch" }),
      askPermission("c2", { kind: "fetch" }),
    );
    const args = ["run", "--agent", "fake", "--data-dir", data, "--allow", "kind:edit", steps];
    const { code, stdout, stderr } = await runProgram(args);
    expect(code).toBe(2);
    expect(stdout.indexOf('"optionId":"yes"')).toBeGreaterThanOrEqual(0);
    expect(stdout.indexOf('"optionId":"no"')).toBeGreaterThan(stdout.indexOf('"optionId":"yes"'));
    expect(stderr).toContain("denied because no rule allows it");
    expect(before).not.toBe(null);
    expect(await rules()).toEqual(before);
  });

  it("waits for an answer from the page with --wait-for-answer", async () => {
    await using host = await sharedHost();
    const data = host.process.ready.data_dir;
    const screen = await host.screen();
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    const steps = script(toolCall("c1"), askPermission("c1"));
    const child = begin(["--agent", "fake", "--data-dir", data, "--wait-for-answer", steps]);
    const waiting = await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" &&
        message.stream === "threads" &&
        "row" in message &&
        message.row.status === "waiting",
    );
    const thread_id = "row" in waiting && "id" in waiting.row ? waiting.row.id : "";
    const asked = await screen.request({ control: "tvx.query", name: "permissions.list", args: { thread_id } });
    const [question] = "rows" in asked ? (asked.rows as readonly PermissionRow[]) : [];
    const said = printed(child, '"optionId":"yes"');
    const permission_id = question?.permission_id ?? "";
    await screen.request({ control: "permission.respond", thread_id, permission_id, option_id: "yes" });
    await said;
    expect(await ended(child)).toBe(0);
  });

  it("says that the host is gone when it is killed meanwhile; the next one ignores the record of that host", async () => {
    using folder = new TemporaryFolder();
    const data = registered(folder);
    await using host = await HostProcess.start(data);
    const child = begin(["--agent", "fake", "--data-dir", data, script({ say: "working" }, { wait: 600_000 })]);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await printed(child, "working");
    await host.stop("SIGKILL");
    expect(await ended(child)).toBe(1);
    expect(stderr).toBe("The connection to Signalbox was lost: the host stopped, or the network failed.\n");
    expect(existsSync(folder.in("data/run/host.json"))).toBe(true);
    expect(await runProgram(["run", "--agent", "fake", "--data-dir", data, "hello"])).toMatchObject({
      code: 0,
      stdout: "hello\n",
    });
  });

  it("gives a command after -- the environment of this command line, not that of the host", async () => {
    await using host = await sharedHost();
    const args = ["run", "--data-dir", host.process.ready.data_dir, "--cwd", host.project];
    const agent = ["--", process.execPath, "-e", "console.error(`has ${process.env.OWN_WORD}`); process.exit(1)"];
    const { code, stderr } = await runProgram([...args, "hello", ...agent], { OWN_WORD: "a-word-of-this-line" });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("has a-word-of-this-line") });
  });

  it("without a model is wrong usage there too", async () => {
    using folder = new TemporaryFolder();
    await using host = await HostProcess.start(registered(folder), undefined, withoutKeys);
    const none = await runProgram(["run", "--data-dir", host.ready.data_dir, "--cwd", folder.path, "hello"]);
    expect(none).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("OPENAI_API_KEY") });
  });
});

describe("bad usage of run", () => {
  it.each([
    [["--allow", "kindedit", "x"], 64, /^--allow: "kindedit" is no rule\./],
    [[], 64, /^The prompt is empty\.\n$/],
    [["x", "--"], 64, /^The command of an agent is missing after --\.\n$/],
    [["--agent", "demo", "x", "--", "cat"], 64, /cannot be combined/],
    [["--agent", "unknown", "x"], 64, /^There is no agent unknown\./],
    [["--agent", "demo", "--cwd", "/does/not/exist", "x"], 64, /does not exist/],
    [["--agent", "demo", "--mode", "all", "x"], 64, /does not take the mode all: there are sandbox, rx, rwx, plan\n$/],
    [["--wait-for-answer", "--agent", "demo", "x"], 64, /^--wait-for-answer needs a running Signalbox/],
    [["x", "--", "/does/not/exist"], 3, /exist/],
    [["x", "--", "false"], 3, /false/],
    [["--alow", "all", "x"], 64, /Did you mean --allow\?/],
  ])("%j: exit code %i and a sentence", async (words, code, message) => {
    using folder = new TemporaryFolder();
    const result = await runProgram(["run", "--data-dir", folder.in("data"), ...words]);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ code, stdout: "" });
  });
});
