// Tests that a permission covers what was decided and nothing else: each case is an attack that passed once.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { formatShownQuestion } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { computeDigest } from "../../packages/host/src/permissions/require-shown.ts";
import { askPermission, type Step, toolCall } from "../support/fake-agent/script.ts";
import { question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const withRules = (...permissions: readonly object[]) => ({ config: { permissions } });

/** Answers the question that waits, and every one after it, with the option of this kind until the turn ends. */
async function answer(screen: TestScreen, threadId: string, kind: string): Promise<string> {
  const asked = await question(screen, threadId);
  const option_id = asked.options.find((option) => option.kind === kind)?.optionId ?? "";
  const permission_id = asked.permission_id;
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id });
  return permission_id;
}

const runs = (command: string, more: object = {}): Step => ({ ask: "terminal/create", params: { command, ...more } });
const writes = (path: string): Step => ({ ask: "fs/write_text_file", params: { path, content: "written\n" } });
const reads = (path: string): Step => ({ ask: "fs/read_text_file", params: { path } });

describe("a rule that answered a question opens only what it is about", () => {
  it.each([
    ["kind:edit", { kind: "edit", name: "edit" }],
    ["tool:todo", { kind: "other", _meta: { agent: { toolName: "todo" } } }],
  ])("%s does not let the command in the input run", async (rule, fields) => {
    await using host = await sharedHost(withRules({ allow: rule }));
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const rawInput = { command: "touch pwned" };
    const locations = [{ path: join(host.project, "a.txt") }];
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", { ...fields, rawInput, locations }),
      askPermission("c1", { ...fields, rawInput, locations }),
      runs("touch pwned"),
    );
    await answer(screen, threadId, "reject_once");
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, turnId);
    expect(existsSync(join(host.project, "pwned"))).toBe(false);
  });

  it("command:git status does not let a file be written that the question names", async () => {
    await using host = await sharedHost(withRules({ allow: "command:git status" }));
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "a.txt");
    const fields = { kind: "execute", rawInput: { command: "git status" }, locations: [{ path }] };
    const turnId = await submit(screen, threadId, toolCall("c1", fields), askPermission("c1", fields), writes(path));
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([
      { status: "allowed", decided_by: "rule" },
      { status: "denied", decided_by: "person" },
    ]);
    expect(existsSync(path)).toBe(false);
  });
});

describe("a person's answer", () => {
  it("to a diff opens the file of the diff, not others that the input names", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const at = (name: string) => join(host.project, name);
    const fields = {
      kind: "edit",
      content: [{ type: "diff", path: at("a.txt"), oldText: null, newText: "written\n" }],
      rawInput: { path: at("package.json"), filename: at("Makefile") },
    };
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", fields),
      askPermission("c1", fields),
      writes(at("a.txt")),
      writes(at("package.json")),
      writes(at("Makefile")),
    );
    await answer(screen, threadId, "allow_once");
    await answer(screen, threadId, "reject_once");
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, turnId);
    expect(["a.txt", "package.json", "Makefile"].map((name) => existsSync(at(name)))).toEqual([true, false, false]);
  });

  it("gives way to a rule that forbids it meanwhile, and a rule's own answer ends with the rule", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const path = join(host.project, "a.txt");
    const fields = { kind: "edit", content: [{ type: "diff", path, oldText: null, newText: "written\n" }] };
    const steps = [askPermission("c1", fields), askPermission("c2", { kind: "other", title: "go on" }), writes(path)];
    const rule = (decision: "allow" | "deny", id: string) => {
      const scope = { type: "thread", id } as const;
      return screen.request({ control: "rules.save", decision, match: "kind:edit", scope });
    };
    const forbidden = await host.thread(screen);
    const first = await submit(screen, forbidden, ...steps);
    await answer(screen, forbidden, "allow_once");
    await question(screen, forbidden);
    await rule("deny", forbidden);
    await answer(screen, forbidden, "allow_once");
    await turnEnd(screen, first);
    expect(existsSync(path)).toBe(false);
    const ruled = await host.thread(screen);
    await rule("allow", ruled);
    const second = await submit(screen, ruled, ...steps);
    await question(screen, ruled);
    const { rows } = await screen.query("rules.list", {});
    const rule_id = rows.find(({ scope }) => scope?.id === ruled)?.id ?? "";
    await screen.request({ control: "rules.delete", rule_id });
    await answer(screen, ruled, "allow_once");
    await answer(screen, ruled, "reject_once");
    await turnEnd(screen, second);
    expect(existsSync(path)).toBe(false);
  });

  it("ends with the turn", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, runs("touch once"), {
      askLate: "terminal/create",
      params: { command: "touch once" },
    });
    await answer(screen, threadId, "allow_once");
    await turnEnd(screen, turnId);
    // The same again is a question again: open, or closed already if it came before the turn's checkpoint was made.
    const [first] = viewOf(screen.received, threadId).permissions;
    const late = await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" &&
        message.stream === "permissions" &&
        message.thread_id === threadId &&
        message.row.permission_id !== first?.permission_id,
    );
    expect(late).toMatchObject({ row: { status: expect.stringMatching(/^(?:pending|cancelled)$/) } });
  });

  it("is remembered as the rule that the question shows", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const fields = { kind: "other", title: "read forecast" };
    const turnId = await submit(screen, threadId, toolCall("c1", fields), askPermission("c1", fields));
    const asked = await question(screen, threadId);
    expect(asked).toMatchObject({
      rule_if_remembered: "agent:fake,kind:other,title:read forecast",
      remember_scopes: ["turn", "thread", "folder", "always"],
    });
    await screen.request({
      control: "permission.respond",
      thread_id: threadId,
      permission_id: asked.permission_id,
      option_id: "yes",
      remember: "thread",
    });
    await turnEnd(screen, turnId);
    const other = { kind: "other", title: "wire money" };
    const next = await submit(screen, threadId, toolCall("c2", other), askPermission("c2", other));
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, next);
  });

  it("about a whole kind is not remembered beyond the thread", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, askPermission("c1", { kind: "other" }));
    const asked = await question(screen, threadId);
    expect(asked).toMatchObject({ rule_if_remembered: "agent:fake,kind:other", remember_scopes: ["turn", "thread"] });
    const respond = { thread_id: threadId, permission_id: asked.permission_id, option_id: "yes" };
    const refused = await screen.request({ control: "permission.respond", ...respond, remember: "always" });
    expect(refused).toMatchObject({ type: "tinyvex.error", code: "bad_request" });
    await screen.request({ control: "permission.respond", ...respond });
    await turnEnd(screen, turnId);
  });
});

describe("rules speak about reading in the thread's folder", () => {
  it.each(["path:**/.env", "kind:read"])("deny %s", async (rule) => {
    await using host = await sharedHost(withRules({ deny: rule }));
    writeFileSync(join(host.project, ".env"), "KEY=secret\n");
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, reads(join(host.project, ".env")), reads(join(host.project, "missing/.env")));
    expect(said(screen, threadId)).not.toContain("secret");
    expect(said(screen, threadId).match(/A rule of the user does not allow this/g)).toHaveLength(2);
  });

  it("ask path:secrets/**, and nothing is asked about other files", async () => {
    await using host = await sharedHost(withRules({ ask: "path:secrets/**" }));
    mkdirSync(join(host.project, "secrets"));
    for (const name of ["secrets/key", "plain"]) writeFileSync(join(host.project, name), `in ${name}\n`);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(
      screen,
      threadId,
      reads(join(host.project, "plain")),
      reads(join(host.project, "secrets/key")),
    );
    expect(await question(screen, threadId)).toMatchObject({ rule: "path:secrets/**" });
    await answer(screen, threadId, "allow_once");
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain("in plain");
    expect(said(screen, threadId)).toContain("in secrets/key");
    expect(viewOf(screen.received, threadId).permissions).toHaveLength(1);
  });
});

describe("the environment and the folder of a command", () => {
  it("are part of the question, and no rule about the command answers it", async () => {
    await using host = await sharedHost(withRules({ allow: "command:./tool" }));
    const elsewhere = host.folder.in("elsewhere");
    mkdirSync(elsewhere);
    for (const folder of [host.project, elsewhere]) {
      writeFileSync(join(folder, "tool"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
    }
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const env = [{ name: "BASH_ENV", value: "/tmp/x" }];
    const turnId = await submit(
      screen,
      threadId,
      runs("./tool", { env: [{ name: "CI", value: "1" }] }),
      runs("./tool", { env }),
      runs("./tool", { cwd: elsewhere }),
      runs("./tool", { env: [{ name: "API_TOKEN", value: "hunter22" }] }),
    );
    const titles: (string | undefined)[] = [];
    const cards: unknown[] = [];
    for (let asked = 0; asked < 3; asked++) {
      const { tool_call_id, subject } = await question(screen, threadId);
      cards.push([subject?.folder, subject?.environment]);
      const calls = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
      titles.push(calls.find((call) => call.tool_call_id === tool_call_id)?.title);
      await answer(screen, threadId, "reject_once");
    }
    await turnEnd(screen, turnId);
    expect(titles).toEqual([
      "`./tool` with `BASH_ENV=/tmp/x`",
      `\`./tool\` in \`${elsewhere}\``,
      "`./tool` with `API_TOKEN=***`",
    ]);
    expect(cards).toEqual([
      [null, ["BASH_ENV=/tmp/x"]],
      [elsewhere, []],
      [null, ["API_TOKEN=***"]],
    ]);
    expect(existsSync(join(elsewhere, "ran"))).toBe(false);
    const [first] = viewOf(screen.received, threadId).permissions;
    expect(first).toMatchObject({ status: "allowed", decided_by: "rule" });
  });
});

it("a command with a backslash runs as the rules read it", async () => {
  await using host = await sharedHost(withRules({ allow: "command:./ok" }));
  for (const name of ["ok", "o\\k"]) {
    writeFileSync(join(host.project, name), `#!/bin/sh\ntouch 'ran ${name}'\n`, { mode: 0o755 });
  }
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  await run(screen, threadId, runs("./o\\k"));
  await screen.waitFor(
    (message) => message.type === "tinyvex.update" && message.stream === "terminals" && message.row.ended_at !== null,
  );
  expect(["ok", "o\\k"].map((name) => existsSync(join(host.project, `ran ${name}`)))).toEqual([true, false]);
});

it("a rule about the home folder also speaks about paths that begin with ~", async () => {
  await using host = await sharedHost(withRules({ allow: "all" }, { deny: `path:${homedir()}/private/**` }));
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  const fields = { kind: "read", rawInput: { path: "~/private/key" } };
  await run(screen, threadId, toolCall("c1", fields), askPermission("c1", fields));
  expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "denied", decided_by: "rule" }]);
});

describe("options of a question", () => {
  it("with one id twice are refused: an answer could not tell them apart", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: "z", name: kind, kind }));
    const params = { toolCall: { toolCallId: "c1", title: "x" }, options };
    await run(screen, threadId, { ask: "session/request_permission", params });
    expect(said(screen, threadId)).toContain("different optionIds");
    expect(viewOf(screen.received, threadId).permissions).toEqual([]);
    const many = Array.from({ length: 101 }, (_, index) => ({ optionId: `o${index}`, name: "x", kind: "allow_once" }));
    await run(screen, threadId, { ask: "session/request_permission", params: { ...params, options: many } });
    expect(said(screen, threadId)).toContain("at most 100 options");
  });

  it("that are none are answered with cancelled, also where all is allowed", async () => {
    await using host = await sharedHost(withRules({ allow: "all" }));
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const params = { toolCall: { toolCallId: "c1", title: "x" }, options: [] };
    await run(screen, threadId, { ask: "session/request_permission", params });
    expect(said(screen, threadId)).toContain('{"outcome":{"outcome":"cancelled"}}');
  });
});

it("a project with too many rules, or with a pattern that costs too much, starts no agent", async () => {
  await using host = await sharedHost();
  const screen = await host.screen();
  const config = join(host.project, ".signalbox/config.json");
  mkdirSync(join(host.project, ".signalbox"));
  for (const permissions of [
    Array.from({ length: 101 }, (_, index) => ({ deny: `command:x${index}` })),
    [{ deny: `command:${"*a".repeat(30_000)}` }],
  ]) {
    writeFileSync(config, JSON.stringify({ permissions }));
    const made = await screen.request({ control: "session.create", agent_id: "fake", cwd: host.project });
    expect(made).toMatchObject({ type: "tinyvex.error" });
    expect(JSON.stringify(made)).toMatch(/at most/);
  }
  expect(readFileSync(config, "utf8").length).toBeGreaterThan(60_000);
});

describe("a yes covers what was shown", () => {
  it("and a question that is another one than the digest says is not answered, nor one beside it", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const fields = (command: string) => ({ kind: "execute", rawInput: { command } });
    // The first one waits for no answer, so that both are open at once.
    const options = [{ optionId: "yes", name: "Allow once", kind: "allow_once" }];
    const params = { sessionId: "s", toolCall: { toolCallId: "c1", ...fields("make one") }, options };
    const turnId = await submit(
      screen,
      threadId,
      { send: { id: "first", method: "session/request_permission", params } },
      askPermission("c2", fields("make two")),
    );
    await expect.poll(() => viewOf(screen.received, threadId).permissions).toHaveLength(2);
    const [one, two] = viewOf(screen.received, threadId).permissions;
    if (one === undefined || two === undefined) throw new Error("two questions were asked");
    const [first, second] = [one, two].map((asked) => computeDigest(formatShownQuestion(asked)));
    const ids = [one.permission_id, two.permission_id] as const;
    const allow = (shown: Record<string, string | undefined>, also: string[] = []) =>
      screen.request({
        control: "permission.respond",
        thread_id: threadId,
        permission_id: ids[0],
        option_id: "yes",
        also,
        shown: shown as Record<string, string>,
      });
    expect(await allow({ [ids[0]]: second })).toMatchObject({ code: "conflict" });
    expect(await allow({ [ids[0]]: first }, [ids[1]])).toMatchObject({ code: "bad_request" });
    expect(await allow({ [ids[0]]: first, [ids[1]]: first }, [ids[1]])).toMatchObject({ code: "conflict" });
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "pending" }, { status: "pending" }]);
    expect(await allow({ [ids[0]]: first, [ids[1]]: second }, [ids[1]])).toMatchObject({ type: "tinyvex.ok" });
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "allowed" }, { status: "allowed" }]);
  });
});
