// What an agent may ask of the host, asked by a real process: permissions, terminals (files are in host-files.test.ts). By the rules, and kept.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { askPermission, type Step, toolCall } from "../support/fake-agent/script.ts";
import { FakeHost, question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { sharedHost } from "../support/shared-host.ts";

const allowAll = { config: { permissions: [{ allow: "all" }] } };

describe("a permission question", () => {
  it("waits for a person, shows what is asked, and goes on with the answer", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", { title: "`make`", kind: "execute", rawInput: { command: "make" } }),
      askPermission("c1"),
    );
    const asked = await question(screen, threadId);
    expect(asked).toMatchObject({
      tool_call_id: "c1",
      options: [{ optionId: "yes" }, { optionId: "always" }, { optionId: "no" }],
    });
    expect(viewOf(screen.received, threadId).turns).toMatchObject([{ status: "running" }]);
    const respond = { control: "permission.respond", thread_id: threadId, permission_id: asked.permission_id } as const;
    expect(await screen.request({ ...respond, option_id: "yes" })).toMatchObject({ type: "tinyvex.ok" });
    expect(await screen.request({ ...respond, option_id: "no" })).toMatchObject({
      type: "tinyvex.error",
      code: "conflict",
    });
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain('{"outcome":{"outcome":"selected","optionId":"yes"}}');
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "allowed", decided_by: "person" }]);
    // After the turn no call is left open.
    const [call] = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
    expect(call).toMatchObject({ tool_call_id: "c1", status: "failed" });
  });

  it("says what the host knows: the command, what is outside the folder, and that the same was asked before", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const call = { title: "OK.", rawInput: { command: "bash -lc 'touch /var/tmp/x'" } };
    const turnId = await submit(
      screen,
      threadId,
      askPermission("c1", { ...call, locations: [{ path: "/var/tmp" }] }),
      askPermission("c1", { ...call, locations: [] }),
      // Allowed twice: the command itself, without the shell around it, is the same.
      { ask: "terminal/create", params: { command: "touch /var/tmp/x" } },
    );
    const respond = { control: "permission.respond", thread_id: threadId, option_id: "yes" } as const;
    const first = await question(screen, threadId);
    expect(first).toMatchObject({
      outside: ["/var/tmp", "/var/tmp/x"],
      // The agent itself would run it, with the user's rights.
      subject: { command: "touch /var/tmp/x", shell: "bash -lc", command_lines: 1, asked_before: null, network: "on" },
    });
    await screen.request({ ...respond, permission_id: first.permission_id });
    const second = await question(screen, threadId);
    expect(second.subject?.asked_before).toEqual(["/var/tmp", "/var/tmp/x"]);
    await screen.request({ ...respond, permission_id: second.permission_id });
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toHaveLength(2);
  });

  it("says whether the command has the network, and which hosts it names; an answer counts for the command in any shell", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const command = "echo https://example.com/x";
    const turnId = await submit(
      screen,
      threadId,
      { ask: "terminal/create", params: { command } },
      askPermission("c1", { kind: "execute", rawInput: { command } }),
      { ask: "terminal/create", params: { command: "/usr/bin/env", args: ["bash", "-l", "-c", command] } },
    );
    const respond = { control: "permission.respond", thread_id: threadId } as const;
    const asked = await question(screen, threadId);
    expect(asked.subject).toMatchObject({ network: "off", command_hosts: ["example.com"], hosts: [] });
    await screen.request({ ...respond, permission_id: asked.permission_id, option_id: "allow_once" });
    const byAgent = await question(screen, threadId);
    await screen.request({ ...respond, permission_id: byAgent.permission_id, option_id: "yes" });
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toHaveLength(2);
  });

  it("denied with a comment reaches an agent that reads comments in the answer, and no prompt follows", async () => {
    const initialize = { agentCapabilities: { _meta: { "signalbox/comment": true } } };
    await using host = await sharedHost({ agentArgs: ["--initialize", JSON.stringify(initialize)] });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, askPermission("c1", { rawInput: { command: "npm i" } }));
    const { permission_id } = await question(screen, threadId);
    const answer = { thread_id: threadId, permission_id, option_id: "no", comment: "write it yourself" };
    await screen.request({ control: "permission.respond", ...answer });
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain('"_meta":{"signalbox/comment":"write it yourself"}');
    const { turns, permissions } = viewOf(screen.received, threadId);
    expect(turns).toHaveLength(1);
    expect(permissions).toMatchObject([{ status: "denied", comment: "write it yourself", hunks: [] }]);
  });

  it("remembered for the folder answers the next one by itself, also in another thread and after a restart", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const ask = [toolCall("c1", { kind: "execute", rawInput: { command: "make test" } }), askPermission("c1")] as const;
    const turnId = await submit(screen, threadId, ...ask);
    const asked = await question(screen, threadId);
    await screen.request({
      control: "permission.respond",
      thread_id: threadId,
      permission_id: asked.permission_id,
      option_id: "yes",
      remember: "folder",
    });
    await turnEnd(screen, turnId);
    await host.restart();
    const second = await host.screen();
    const otherId = await host.thread(second);
    await run(second, otherId, ...ask);
    expect(viewOf(second.received, otherId).permissions).toMatchObject([
      { status: "allowed", decided_by: "rule", rule: "agent:fake,command:make test" },
    ]);
  });

  it("about the network of a command is not answered by rules about the command or its tool", async () => {
    const permissions = [{ allow: "command:curl *" }, { allow: "tool:bash" }, { allow: "kind:execute" }];
    await using host = await FakeHost.start({ config: { permissions } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const command = "curl https://example.com";
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", { title: `\`${command}\``, name: "bash", kind: "execute", rawInput: { command, network: true } }),
      askPermission("c1", { name: "bash", kind: "execute", rawInput: { command, network: true } }),
      // As our own agent asks: the same call, another tool, another kind.
      askPermission("c1", {
        name: "bash_network",
        kind: "fetch",
        title: `Use the network: \`${command}\``,
        rawInput: { network: true, command },
      }),
    );
    const asked = await question(screen, threadId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([
      { status: "allowed", decided_by: "rule" },
      { status: "pending", permission_id: asked.permission_id },
    ]);
    const no = { thread_id: threadId, permission_id: asked.permission_id, option_id: "no" };
    await screen.request({ control: "permission.respond", ...no, remember: "always" });
    await turnEnd(screen, turnId);
    // What was remembered is about the network of this command, and nothing else.
    const rules = await screen.request({ control: "tvx.query", name: "rules.list" });
    expect(JSON.stringify(rules)).toContain('"match":"agent:fake,kind:fetch,command:curl https://example.com"');
  });

  it("about more rights is not answered by rules about the command, names them and the reason; a no offers the sandbox", async () => {
    const permissions = [{ allow: "command:*" }, { allow: "kind:execute" }];
    await using host = await sharedHost({ config: { permissions } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const outside = mkdtempSync("/var/tmp/signalbox-outside-");
    onTestFinished(() => rmSync(outside, { recursive: true }));
    const reason = "the log belongs there";
    const create = (name: string, escalate?: object): Step => ({
      ask: "terminal/create",
      params: {
        command: `touch ${outside}/${name}`,
        ...(escalate === undefined ? {} : { _meta: { "signalbox/escalate": escalate } }),
      },
    });
    const turnId = await submit(
      screen,
      threadId,
      create("inside"),
      create("badly", { to: "outside" }),
      create("written", { reason, to: "write", folder: outside }),
      create("denied", { reason, to: "outside" }),
      create("outside", { reason }),
    );
    const answer = async (option_id: string, remember?: "thread") => {
      const asked = await question(screen, threadId);
      const { permission_id } = asked;
      const given = { thread_id: threadId, permission_id, option_id, ...(remember && { remember }) };
      await screen.request({ control: "permission.respond", ...given });
      return asked;
    };
    const written = await answer("allow_once", "thread");
    expect(written.subject).toMatchObject({ network: "off", escalation: { to: "write", folder: outside, reason } });
    expect(written.rule_if_remembered).toBe(`agent:fake,escalate:write ${outside},command:touch ${outside}/written`);
    expect(written.wider_rules).toEqual([]);
    const denied = await answer("reject_once");
    expect(denied.subject).toMatchObject({ network: "on", escalation: { to: "outside", folder: null, reason } });
    await answer("allow_once");
    await turnEnd(screen, turnId);
    await expect.poll(() => readdirSync(outside).toSorted()).toEqual(["outside", "written"]);
    const texts = said(screen, threadId);
    expect(texts).toContain("escalate needs a reason");
    expect(texts).toContain("Without `escalate` it can be run inside the sandbox.");

    // A person runs the one that failed inside again: the agent gets what it printed.
    const failed = () => viewOf(screen.received, threadId).terminals.find(({ exit_code }) => exit_code === 1);
    // Its end may come after that of the turn.
    await expect.poll(failed).toBeDefined();
    const again = {
      control: "terminal.run_again",
      thread_id: threadId,
      terminal_id: failed()?.terminal_id ?? "",
    } as const;
    expect(await screen.request({ ...again, to: "write" })).toMatchObject({
      type: "tinyvex.error",
      code: "bad_request",
    });
    expect(await screen.request({ ...again, to: "outside" })).toMatchObject({ type: "tinyvex.ok" });
    await expect.poll(() => readdirSync(outside).toSorted()).toEqual(["inside", "outside", "written"]);
    await expect
      .poll(() => JSON.stringify(viewOf(screen.received, threadId).timeline))
      .toContain("I ran this command again for you, outside the sandbox");
    const unknown = await screen.request({ ...again, terminal_id: "terminal-none", to: "outside" });
    expect(unknown).toMatchObject({
      type: "tinyvex.error",
      message: expect.stringContaining("Ask the agent to run it again"),
    });
  });

  it("that waits is answered by a rule that is saved meanwhile", async () => {
    await using host = await FakeHost.start();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, askPermission("c1", { kind: "edit" }));
    await question(screen, threadId);
    await screen.request({ control: "rules.save", decision: "deny", match: "kind:edit" });
    await turnEnd(screen, turnId);
    const [asked] = viewOf(screen.received, threadId).permissions;
    expect(asked).toMatchObject({ status: "denied", decided_by: "rule", rule: "kind:edit" });
  });

  it("is answered by the rules of the project as they stand when the agent starts; an invalid file stops the start", async () => {
    await using host = await sharedHost(allowAll);
    mkdirSync(join(host.project, ".signalbox"));
    const file = join(host.project, ".signalbox/config.json");
    const screen = await host.screen();
    for (const name of ["a", "b"]) {
      writeFileSync(file, JSON.stringify({ permissions: [{ deny: `path:${name}` }] }));
      const threadId = await host.thread(screen);
      const ask = (path: string) => askPermission(path, { kind: "edit", locations: [{ path }] });
      await run(screen, threadId, ask("a"), ask("b"));
      const denied = viewOf(screen.received, threadId).permissions.filter(({ status }) => status === "denied");
      expect(denied).toMatchObject([{ tool_call_id: name }]);
    }
    rmSync(file);
    symlinkSync("/dev/zero", file);
    const refused = await screen.request({ control: "session.create", agent_id: "fake", cwd: host.project });
    expect(refused).toMatchObject({ code: "bad_request", message: expect.stringContaining("is not a regular file") });
  });

  it("that the agent did not wait for ends with the turn, and cannot be answered any more", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    const params = { sessionId: "s", toolCall: { toolCallId: "c1", title: "Something" }, options };
    await run(screen, threadId, { send: { id: "x", method: "session/request_permission", params } });
    const rows = () => viewOf(screen.received, threadId).permissions;
    await expect.poll(rows).toMatchObject([{ status: "cancelled" }]);
    const [row] = rows();
    const late = { thread_id: threadId, permission_id: row?.permission_id ?? "", option_id: "yes" };
    expect(await screen.request({ control: "permission.respond", ...late })).toMatchObject({ code: "conflict" });
    // What comes after it is asked as ever.
    const turnId = await submit(screen, threadId, askPermission("c2", { title: "Another" }));
    const asked = await question(screen, threadId);
    await screen.request({
      control: "permission.respond",
      ...late,
      permission_id: asked.permission_id,
      option_id: "no",
    });
    await turnEnd(screen, turnId);
  });

  it("that is malformed is refused, and stored", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { ask: "session/request_permission", params: { toolCall: {}, options: [] } });
    expect(said(screen, threadId)).toContain('"code":-32602');
    expect(viewOf(screen.received, threadId).permissions).toEqual([]);
  });

  it("is cancelled with the turn, and the agent gets that answer", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, askPermission("never-announced", { title: "Something" }));
    await question(screen, threadId);
    await screen.request({ control: "run.cancel", thread_id: threadId });
    expect(await turnEnd(screen, turnId)).toMatchObject({ stop_reason: "cancelled" });
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("terminals through the host", () => {
  const create = (command: string, more: object = {}) => ({ ask: "terminal/create", params: { command, ...more } });

  it("get no key, also not one from a variable that only the config names", async () => {
    vi.stubEnv("WORK_MODEL", "very-secret");
    onTestFinished(() => void vi.unstubAllEnvs());
    const providers = { anthropic: { api_key_env: "WORK_MODEL" } };
    await using host = await FakeHost.start({ config: { ...allowAll.config, providers } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, create("env"));
    const ended = await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "terminals" && message.row.ended_at !== null,
    );
    expect(JSON.stringify(ended)).toContain("PATH=");
    expect(JSON.stringify(screen.received)).not.toContain("very-secret");
  });

  it("are in the sandbox that the project asks for, also where the user has none", async () => {
    await using host = await sharedHost({ config: { ...allowAll.config, sandbox: { mode: "off" } } });
    const screen = await host.screen();
    const wroteFile = async () => {
      rmSync(join(host.project, "new.txt"), { force: true });
      const threadId = await host.thread(screen);
      await run(screen, threadId, create("touch new.txt; echo done"), { ask: "terminal/wait_for_exit" });
      await screen.waitFor(
        (message) =>
          message.type === "tinyvex.update" &&
          message.stream === "terminals" &&
          message.thread_id === threadId &&
          message.row.ended_at !== null,
      );
      return existsSync(join(host.project, "new.txt"));
    };
    expect(await wroteFile()).toBe(true);
    mkdirSync(join(host.project, ".signalbox"));
    writeFileSync(join(host.project, ".signalbox/config.json"), '{"sandbox": {"mode": "rx"}}');
    expect(await wroteFile()).toBe(false);
  });

  it("run a whole shell line, live in the register, with exit code and output", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, create("echo out; echo err >&2; exit 3"));
    await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "terminals" && message.row.ended_at !== null,
    );
    const [terminal] = viewOf(screen.received, threadId).terminals;
    expect(terminal).toMatchObject({ command: "echo out; echo err >&2; exit 3", exit_code: 3, output: "out\nerr\n" });
  });

  it("are stored with every request, except those that only read the output", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, create("true"));
    const terminalId = /terminal-[\w-]+/.exec(said(screen, threadId))?.[0];
    const ask = (method: string) => ({ ask: method, params: { terminalId } });
    const looks = [ask("terminal/output"), ask("terminal/output"), ask("terminal/output")];
    await run(screen, threadId, ...looks, ask("terminal/wait_for_exit"), ask("terminal/release"), ...looks.slice(0, 1));
    const { rows: events } = await screen.query("events.list", { thread_id: threadId });
    const requests = events.filter(({ kind }) => kind === "signalbox/agent_request").map(({ payload }) => payload);
    expect(requests).toMatchObject([
      { method: "terminal/create", outcome: "answered" },
      { method: "terminal/wait_for_exit", params: { terminalId }, outcome: "answered" },
      { method: "terminal/release", params: { terminalId }, outcome: "answered" },
      { method: "terminal/output", params: { terminalId }, outcome: "refused" },
    ]);
  });

  it("that would be refused anyway are not asked about", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const inFolder = (cwd: string) => ({ ask: "terminal/create", params: { command: "true", cwd } });
    await run(screen, threadId, inFolder(join(host.project, "nowhere")), inFolder(host.process.ready.data_dir));
    expect(said(screen, threadId)).toMatch(/nowhere does not exist; choose.*\n.*holds Signalbox's own data/);
    expect(viewOf(screen.received, threadId).permissions).toEqual([]);
  });

  it("a denied command does not run", async () => {
    await using host = await sharedHost({ config: { permissions: [{ deny: "command:touch *" }] } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, create("true && touch made"));
    expect(said(screen, threadId)).toContain("A rule of the user does not allow this.");
    expect(existsSync(join(host.project, "made"))).toBe(false);
  });

  it("cannot write outside of the workspace, whatever was allowed", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, create("sh", { args: ["-c", "echo x > /etc/signalbox-escape; echo done"] }));
    await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "terminals" && message.row.ended_at !== null,
    );
    expect(existsSync("/etc/signalbox-escape")).toBe(false);
  });

  it("are ended when the session is", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const file = join(host.project, "pid");
    await run(screen, threadId, create("echo $$ > pid; exec sleep 1000"));
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8").trim() !== "").toBe(true);
    await screen.request({ control: "session.close", thread_id: threadId });
    const [terminal] = viewOf(screen.received, threadId).terminals;
    expect(terminal?.ended_at).not.toBeNull();
  });
});

describe("unknown requests and notifications", () => {
  it("answers vendor requests with -32601, keeps vendor notifications, and survives answers without a request", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(
      screen,
      threadId,
      { ask: "_vendor/thing", params: { a: 1 }, id: "string-id" },
      { send: { method: "vendor/news", params: { sessionId: "x", b: 2 } } },
      { send: { id: 4711, result: {} } },
      { raw: "this is no JSON\n" },
      { update: { sessionUpdate: "hologram_update", shape: "cube", depth: 12345678901234567890n.toString() } },
    );
    expect(said(screen, threadId)).toContain('"code":-32601');
    const events = await screen.query("events.list", { thread_id: threadId, limit: 100 });
    const kinds = events.rows.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["vendor/news", "hologram_update", "signalbox/agent_request"]));
  });
});
