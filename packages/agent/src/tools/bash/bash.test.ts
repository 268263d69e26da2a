// `bash` and its background jobs: in the real sandbox, and in the terminal of a client.
import { randomUUID } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type ClientTerminal, type ClientTerminals, Jobs, type TerminalRequest } from "@signalbox/agent-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { processesWith } from "../../../../../test/support/processes.ts";
import { type TestFolder, type TrialOptions, testFolder, tryTool } from "../testing/try-tool.ts";
import { bashTool } from "./bash.ts";
import { bashKillTool } from "./bash-kill.ts";
import { bashOutputTool } from "./bash-output.ts";

// A busy machine takes its time to start processes.
vi.setConfig({ testTimeout: 30_000 });

const bash = (folder: TestFolder, input: object, options?: TrialOptions) =>
  tryTool(bashTool, folder.workspace, input, options);
/** How long a poll may take on a busy machine. */
const jobOf = (text: string) => /job_\d+/.exec(text)?.[0] ?? "";

describe("bash", () => {
  it("returns stdout and stderr in the order they came", async () => {
    await using folder = testFolder();
    const result = await bash(folder, { command: "echo one; echo two >&2; echo three" });
    expect(result).toMatchObject({ text: "one\ntwo\nthree\n", rawOutput: { exit_code: 0 } });
    expect(result).not.toHaveProperty("isError");
  });

  it("runs in the session's folder, or in the one it is given", async () => {
    await using folder = testFolder();
    folder.put("sub/x", "");
    expect((await bash(folder, { command: "pwd" })).text).toBe(`${folder.cwd}\n`);
    expect((await bash(folder, { command: "pwd", cwd: "sub" })).text).toBe(`${folder.path("sub")}\n`);
    expect(await bash(folder, { command: "pwd", cwd: "none" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("does not exist"),
    });
  });

  it("says how it ended when that was not well, before the output", async () => {
    await using folder = testFolder();
    expect(await bash(folder, { command: "echo out; exit 3" })).toMatchObject({
      text: "Exit code 3\nout\n",
      isError: true,
    });
    expect((await bash(folder, { command: "kill -SEGV $$" })).text).toContain("SIGSEGV");
    expect((await bash(folder, { command: "true" })).text).toBe("Done, without output.");
  });

  it("writes in the session's folder and nowhere else, and says which path was refused", async () => {
    await using folder = testFolder();
    expect((await bash(folder, { command: "echo x > inside && cat inside" })).text).toBe("x\n");
    const result = await bash(folder, { command: `echo x > ${folder.outside}/a` });
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining(`writing ${folder.outside}/a is not allowed`),
    });
    expect(readdirSync(folder.outside)).toEqual([]);
  });

  it.each(["sandbox", "rx"] as const)("has a place for the caches of package managers in mode %s", async (mode) => {
    await using folder = testFolder({ access: () => ({ mode, network: false, writable: [] }) });
    const command =
      'mkdir -p "$npm_config_cache" "$GOCACHE" && echo ok > "$npm_config_cache/x" && cat "$npm_config_cache/x"';
    expect((await bash(folder, { command })).text).toBe("ok\n");
  });

  it("does not get our keys, whatever they are called", async () => {
    process.env.ANTHROPIC_API_KEY = "sk-ant-secret-value";
    process.env.MY_MODEL_ACCESS = "another-secret-value";
    await using folder = testFolder({ secretNames: ["MY_MODEL_ACCESS"] });
    const { text } = await bash(folder, { command: "env" });
    delete process.env.ANTHROPIC_API_KEY;
    delete process.env.MY_MODEL_ACCESS;
    expect(text).toContain("PATH=");
    expect(text).not.toContain("secret-value");
  });

  it("cannot read our own data", async () => {
    await using folder = testFolder();
    writeFileSync(join(folder.home, "token"), "very secret");
    expect((await bash(folder, { command: `cat ${folder.home}/token` })).text).not.toContain("very secret");
  });

  it("shows the output while the command runs", async () => {
    await using folder = testFolder();
    const { promise: shown, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = bash(folder, { command: "echo begun; sleep 60" }, { signal: stop.signal, onShow: resolve });
    await shown;
    stop.abort();
    const result = await running;
    expect(result.shown[0]).toEqual([{ type: "content", content: { type: "text", text: "begun\n" } }]);
  });

  it("ends with everything it started when it is cancelled, and keeps what it had printed", async () => {
    await using folder = testFolder();
    const stop = new AbortController();
    const marker = `marker-${randomUUID()}`;
    const command = `setsid bash -c 'exec -a ${marker} sleep 600' & echo begun; sleep 600`;
    const running = bash(folder, { command }, { signal: stop.signal });
    await expect.poll(() => processesWith(`${marker}\0`)).toHaveLength(1);
    stop.abort();
    expect(await running).toMatchObject({ isError: true, text: "Cancelled\nbegun\n" });
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  it("goes on as a job when its time is up, with what it printed before and after", async () => {
    await using folder = testFolder();
    const gate = folder.path("gate");
    const timeUp = new AbortController();
    const onShow = () => timeUp.abort(new DOMException("The time is up.", "TimeoutError"));
    const command = `echo one; until [ -e ${gate} ]; do sleep 0.05; done; echo two; exit 3`;
    const result = await bash(folder, { command }, { signal: timeUp.signal, onShow });
    expect(result.text).toMatch(/^It still runs, and goes on in the background as job_1\. .*\none\n$/);
    expect(result).not.toHaveProperty("isError");
    writeFileSync(gate, "");
    const later = await tryTool(bashOutputTool, folder.workspace, { job: "job_1", wait_s: 30 });
    expect(later).toMatchObject({ isError: true, text: "job_1 has ended. Exit code 3\ntwo\n" });
  });

  it("may take as long as the call says", () => {
    expect(bashTool.timeoutMs?.({ command: "x", timeout_s: 300 })).toBe(300_000);
    expect(bashTool.timeoutMs?.({ command: "x" })).toBeUndefined();
  });

  it("survives a flood of output", async () => {
    await using folder = testFolder();
    const result = await bash(folder, { command: "head -c 20000000 /dev/zero | tr '\\0' x" });
    expect(result.text.length).toBeLessThan(5_000_000);
  });

  it("titles itself by the command", () => {
    expect(bashTool.describe({ command: "npm test" }, "/p").title).toBe("`npm test`");
  });

  it("is honest about where enforcement is missing: it does not run", async () => {
    await using folder = testFolder();
    const start = async () => ({
      ended: Promise.resolve({
        output: "",
        isTruncated: false,
        ending: { ended: "refused", code: "sandbox_unavailable", message: "no sandbox" } as const,
        denied: [],
        networkDenied: false,
      }),
    });
    const refusing = { ...folder.workspace, jobs: new Jobs({ start, idPrefix: "job", stopTool: "bash_kill" }) };
    expect(await tryTool(bashTool, refusing, { command: "true" })).toMatchObject({
      isError: true,
      text: "Not started: no sandbox",
    });
  });
});

describe("the network for a command", () => {
  const server = createServer((_request, response) => response.end("reached"));
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => server.close());
  const get = () =>
    `exec 3<>/dev/tcp/127.0.0.1/${new URL(url).port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;

  it("is off, and the answer says how to ask for it", async () => {
    await using folder = testFolder();
    const command =
      "node -e \"require('dns').lookup('host.invalid', (error) => { console.error(error.message); process.exit(1) })\"";
    const result = await bash(folder, { command });
    expect(result).toMatchObject({ isError: true, asked: [] });
    expect(result.text).toContain("network: true");
  });

  it("is a permission of its own: yes lets the command through", async () => {
    await using folder = testFolder();
    const result = await bash(folder, { command: get(), network: true }, { decide: () => ({ allowed: true }) });
    expect(result.text).toContain("reached");
    expect(result.asked).toEqual([
      {
        tool: "bash_network",
        kind: "fetch",
        title: expect.stringContaining("Use the network: `"),
        args: { command: get(), network: true },
      },
    ]);
  });

  it("is a permission of its own: no means that nothing runs", async () => {
    await using folder = testFolder();
    const result = await bash(folder, { command: `touch ran; ${get()}`, network: true });
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining("may not use the network. The user said no."),
    });
    expect(readdirSync(folder.cwd)).toEqual([]);
  });

  it("needs no question where the settings give it", async () => {
    await using folder = testFolder({ access: () => ({ mode: "sandbox", network: true, writable: [] }) });
    expect(await bash(folder, { command: get() })).toMatchObject({
      text: expect.stringContaining("reached"),
      asked: [],
    });
  });
});

describe("a way out of the sandbox", () => {
  const reason = "the report belongs there";

  it("is offered where something was denied, and opens one folder, or everything", async () => {
    await using folder = testFolder();
    const write = (name: string) => `echo x > ${folder.outside}/${name}`;
    expect((await bash(folder, { command: write("a") })).text).toContain("call bash again with escalate and a reason");
    const below = { reason, to: "write", folder: "../outside" };
    expect((await bash(folder, { command: write("b"), escalate: below })).text).toBe("Done, without output.");
    expect((await bash(folder, { command: write("c"), escalate: { reason } })).text).toBe("Done, without output.");
    const protectedFolder = { reason, to: "write", folder: folder.home };
    expect(await bash(folder, { command: write("d"), escalate: protectedFolder })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^The command was not run: writing .* is not allowed/),
    });
    expect(readdirSync(folder.outside).toSorted()).toEqual(["b", "c"]);
  });

  it("says in title and question what it asks for, and why", () => {
    const described = bashTool.describe({ command: "make", escalate: { reason } }, "/w");
    expect(described.title).toBe("`make` outside the sandbox");
    expect(JSON.stringify(described.preview)).toMatch(/No sandbox: .*Reason: the report belongs there/);
    expect(bashTool.input.safeParse({ command: "make", escalate: { reason, to: "write" } }).success).toBe(false);
    expect(bashTool.input.safeParse({ command: "make", escalate: {} }).success).toBe(false);
  });
});

describe("a background job", () => {
  const output = (folder: TestFolder, input: object) => tryTool(bashOutputTool, folder.workspace, input);
  const kill = (folder: TestFolder, job: string) => tryTool(bashKillTool, folder.workspace, { job });

  it("is started immediately, and gives its output bit by bit", async () => {
    await using folder = testFolder();
    const started = await bash(folder, {
      command: "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 4",
      background: true,
    });
    const job = jobOf(started.text);
    await expect.poll(async () => (await output(folder, { job })).text).toBe(`${job} is running.\none\n`);
    expect((await output(folder, { job })).text).toBe(`${job} is running.\n(no new output)`);
    folder.put("go", "");
    expect(await output(folder, { job, wait_s: 30 })).toMatchObject({
      text: `${job} has ended. Exit code 4\ntwo\n`,
      isError: true,
    });
  });

  it("can be ended, with its children", async () => {
    await using folder = testFolder();
    const marker = `marker-${randomUUID()}`;
    const command = `setsid bash -c 'exec -a ${marker} sleep 600' & wait`;
    const { text } = await bash(folder, { command, background: true });
    await expect.poll(() => processesWith(`${marker}\0`)).toHaveLength(1);
    expect((await kill(folder, jobOf(text))).text).toContain("has ended");
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  it("ends with the session", async () => {
    await using folder = testFolder();
    const marker = `marker-${randomUUID()}`;
    await bash(folder, { command: `exec -a ${marker} sleep 600`, background: true });
    await expect.poll(() => processesWith(`${marker}\0`)).toHaveLength(1);
    await folder.workspace.close();
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  it("that does not exist is named", async () => {
    await using folder = testFolder();
    expect(await output(folder, { job: "job_9" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("None was started"),
    });
    expect(await kill(folder, "job_9")).toMatchObject({ isError: true });
  });

  it("keeps the end of a flood, for the model within its limit, for the person more of it", async () => {
    await using folder = testFolder();
    const { text } = await bash(folder, { command: "seq 1 400000", background: true });
    const { text: read, display } = await output(folder, { job: jobOf(text), wait_s: 30 });
    const [shown] = display ?? [];
    const seen = shown?.type === "content" && shown.content.type === "text" ? shown.content.text : "";
    for (const told of [read, seen]) {
      expect(told).toContain("Some output before this was dropped");
      expect(told.endsWith("399999\n400000\n")).toBe(true);
    }
    expect(read.length).toBeLessThanOrEqual(bashOutputTool.outputLimit ?? 0);
    expect(seen.length).toBeGreaterThan(150_000);
    expect(seen.length).toBeLessThan(500_000);
  });

  it("is one of twenty at most", async () => {
    await using folder = testFolder();
    for (let count = 0; count < 20; count++) await bash(folder, { command: "sleep 600", background: true });
    expect(await bash(folder, { command: "sleep 600", background: true })).toMatchObject({ isError: true });
  });
});

describe("bash in the client's terminal", () => {
  class FakeTerminal implements ClientTerminal {
    readonly id = "term_1";
    readonly calls: string[] = [];
    readonly exited = Promise.withResolvers<{ exitCode?: number; signal?: string; _meta?: object }>();
    output = async () => ({ output: "from the terminal", truncated: false });
    waitForExit = () => this.exited.promise;
    kill = async () => void this.calls.push("kill");
    release = async () => void this.calls.push("release");
  }

  function terminals(terminal: FakeTerminal, requests: TerminalRequest[] = []): ClientTerminals {
    return {
      create: async (request) => {
        requests.push(request);
        return terminal;
      },
    };
  }

  it("tells what the client says was denied, and not that the network is off where it goes by name", async () => {
    const terminal = new FakeTerminal();
    const output = "ERROR: Could not find a version that satisfies the requirement left";
    terminal.output = async () => ({ output, truncated: false });
    const by_name = { hosts: "", variables: {} };
    const sandbox = { mode: "sandbox", network: false, loopback: "/nowhere", by_name } as const;
    await using folder = testFolder({ terminals: { client: terminals(terminal), sandbox } });
    const denied = "While the command ran, a connection to packages.test:443 was not made: It is not on the list.";
    terminal.exited.resolve({ exitCode: 1, _meta: { "signalbox/denied": { denied: [denied], network: false } } });
    const { text } = await bash(folder, { command: "pip install left" });
    expect(text).toBe(
      `Exit code 1\n${denied}\nIf the task needs this and the user has not refused it, call bash again with escalate and a reason: the user decides.\n${output}`,
    );
  });

  it("shows the terminal, returns its output and releases it", async () => {
    const terminal = new FakeTerminal();
    const requests: TerminalRequest[] = [];
    await using folder = testFolder({ terminals: { client: terminals(terminal, requests) } });
    terminal.exited.resolve({ exitCode: 2 });
    const result = await bash(folder, { command: "make" });
    expect(result).toMatchObject({
      text: "Exit code 2\nfrom the terminal",
      isError: true,
      display: [{ type: "terminal", terminalId: "term_1" }],
      shown: [[{ type: "terminal", terminalId: "term_1" }]],
    });
    expect(requests).toEqual([{ command: "make", cwd: folder.cwd, outputByteLimit: 4 * 1024 * 1024 }]);
    expect(terminal.calls).toEqual(["release"]);
  });

  it("kills and releases it on cancel", async () => {
    const terminal = new FakeTerminal();
    await using folder = testFolder({ terminals: { client: terminals(terminal) } });
    const stop = new AbortController();
    await bash(folder, { command: "sleep 600" }, { signal: stop.signal, onShow: () => stop.abort() });
    expect(terminal.calls).toEqual(["kill", "release"]);
  });

  it("runs jobs there too, and tells what they printed at their end", async () => {
    const terminal = new FakeTerminal();
    await using folder = testFolder({ terminals: { client: terminals(terminal) } });
    const { text } = await bash(folder, { command: "make", background: true });
    terminal.exited.resolve({ exitCode: 0 });
    const look = await tryTool(bashOutputTool, folder.workspace, { job: jobOf(text), wait_s: 10 });
    expect(look.text).toBe("job_1 has ended. Exit code 0\nfrom the terminal");
  });

  describe("that is in a sandbox", () => {
    const sandbox = { mode: "sandbox", network: false } as const;

    it("runs there, and learns from the output what was denied", async () => {
      const terminal = new FakeTerminal();
      terminal.output = async () => ({ output: "curl: (6) Could not resolve host: a.b\n", truncated: false });
      const requests: TerminalRequest[] = [];
      await using folder = testFolder({ terminals: { client: terminals(terminal, requests), sandbox } });
      terminal.exited.resolve({ exitCode: 6 });
      const result = await bash(folder, { command: "curl a.b" });
      expect(result.text).toContain("call bash again with network: true");
      expect(requests).toMatchObject([{ command: "curl a.b" }]);
    });

    it.each([
      ["the mode is another", { access: () => ({ mode: "rx" as const, network: false, writable: [] }) }, {}],
      ["it got the network", {}, { network: true }],
      ["there are more folders", { additionalDirectories: ["/var/tmp"] }, {}],
    ])("runs in our own sandbox where %s", async (_, options, input) => {
      const requests: TerminalRequest[] = [];
      const client = terminals(new FakeTerminal(), requests);
      await using folder = testFolder({ terminals: { client, sandbox }, ...options });
      const decide = () => ({ allowed: true }) as const;
      expect(await bash(folder, { command: "echo here", ...input }, { decide })).toMatchObject({ text: "here\n" });
      expect(requests).toEqual([]);
    });
  });

  it("runs jobs there too, shows them, and reads what is new", async () => {
    const terminal = new FakeTerminal();
    await using folder = testFolder({ terminals: { client: terminals(terminal) } });
    const started = await bash(folder, { command: "serve", background: true });
    expect(started.display).toEqual([{ type: "terminal", terminalId: "term_1" }]);
    const read = async () => (await tryTool(bashOutputTool, folder.workspace, { job: jobOf(started.text) })).text;
    expect(await read()).toBe("job_1 is running.\nfrom the terminal");
    terminal.output = async () => ({ output: "from the terminal, more", truncated: false });
    expect(await read()).toBe("job_1 is running.\n, more");
  });

  it("is not held by a client that does not answer", async () => {
    const terminal = new FakeTerminal();
    terminal.kill = terminal.release = () => new Promise(() => {});
    terminal.output = () => new Promise(() => {});
    await using folder = testFolder({ terminals: { client: terminals(terminal) } });
    await bash(folder, { command: "make", background: true });
    await folder.workspace.close();
  });

  it("says why there is no terminal", async () => {
    const refusing = { create: () => Promise.reject(new Error("no terminals today")) };
    await using folder = testFolder({ terminals: { client: refusing } });
    expect(await bash(folder, { command: "true" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("no terminals today"),
    });
  });
});
