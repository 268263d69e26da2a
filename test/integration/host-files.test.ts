// Tests files that an agent reads and writes through the host: inside the folder, by the rules, with permission.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askForm, askPermission, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { elicitation, question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { sharedHost } from "../support/shared-host.ts";

const allowAll = { config: { permissions: [{ allow: "all" }] } };

describe("files through the host", () => {
  it("are read by lines, and a missing one is a plain answer", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "a.txt");
    writeFileSync(path, "one\ntwo\nthree\n");
    await run(
      screen,
      threadId,
      { ask: "fs/read_text_file", params: { path, line: 2, limit: 1 } },
      { ask: "fs/read_text_file", params: { path: join(host.project, "missing") } },
      { ask: "fs/read_text_file", params: { path: "relative" } },
    );
    const answers = said(screen, threadId).trim().split("\n");
    expect(answers[0]).toBe('{"result":{"content":"two\\n"}}');
    expect(answers[1]).toContain('"code":-32002');
    expect(answers[2]).toContain('"code":-32602');
  });

  it("that are not UTF-8 are refused: writing them back would lose characters", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "latin-1.txt");
    writeFileSync(path, Buffer.from("gr\xfc\xdfe", "latin1"));
    await run(screen, threadId, { ask: "fs/read_text_file", params: { path } });
    expect(said(screen, threadId)).toContain("it is not UTF-8 text; read it with a command instead");
  });

  it("give their bytes where an agent asks for them, under the same rules", async () => {
    await using host = await sharedHost({ config: { permissions: [{ deny: "path:**/secret.png" }] } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);
    for (const name of ["a.png", "secret.png"]) writeFileSync(join(host.project, name), bytes);
    const read = (name: string) => ({
      ask: "fs/read_text_file",
      params: { path: join(host.project, name), _meta: { "signalbox/file_bytes": true } },
    });
    await run(screen, threadId, read("a.png"), read("secret.png"));
    const [given, denied] = said(screen, threadId).trim().split("\n");
    expect(given).toContain(`"signalbox/file_bytes":"${bytes.toString("base64")}"`);
    expect(denied).toContain("A rule of the user does not allow this.");
  });

  it("that are too large are neither read nor overwritten, with a reason", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "sparse");
    writeFileSync(path, "");
    truncateSync(path, 1_000_000_000_000);
    await run(
      screen,
      threadId,
      { ask: "fs/read_text_file", params: { path, line: 1, limit: 1 } },
      { ask: "fs/write_text_file", params: { path, content: "" } },
    );
    expect(said(screen, threadId).match(/it has 1000000000000 bytes; at most 67108864/g)).toHaveLength(2);
    // Everything else would wait while so much is sent in one piece.
    const long = join(host.project, "long");
    writeFileSync(long, "0123456789abcde\n".repeat(600_000));
    const asks = { ask: "fs/read_text_file", params: { path: long } };
    await run(screen, threadId, asks, { ...asks, params: { path: long, line: 500_000, limit: 1 } });
    expect(said(screen, threadId)).toContain("at most 8388608 go into one: read it in parts, with line and limit");
    expect(said(screen, threadId)).toContain('{"content":"0123456789abcde\\n"}');
    expect(statSync(path).size).toBe(1_000_000_000_000);
  });

  it("are written only with permission, completely, with their folders, and never through a link out of the workspace", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "deep/er/new.txt");
    const write = { ask: "fs/write_text_file", params: { path, content: "hello\n" } };
    const turnId = await submit(screen, threadId, write);
    const asked = await question(screen, threadId);
    expect(existsSync(path)).toBe(false);
    const [call] = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
    expect(call).toMatchObject({ title: "Write `deep/er/new.txt`", content: [{ type: "diff", newText: "hello\n" }] });
    await screen.request({
      control: "permission.respond",
      thread_id: threadId,
      permission_id: asked.permission_id,
      option_id: "allow_once",
    });
    await turnEnd(screen, turnId);
    expect(readFileSync(path, "utf8")).toBe("hello\n");

    mkdirSync(host.folder.in("outside"));
    symlinkSync(host.folder.in("outside"), join(host.project, "link"));
    await using free = await sharedHost(allowAll);
    const other = await free.screen();
    const otherId = await free.thread(other);
    symlinkSync("/etc", join(free.project, "link"));
    await run(other, otherId, {
      ask: "fs/write_text_file",
      params: { path: join(free.project, "link/signalbox-test"), content: "x" },
    });
    expect(said(other, otherId)).toContain('"error"');
    expect(existsSync("/etc/signalbox-test")).toBe(false);
  });

  it("denied by a rule: the agent gets the reason and nothing is written", async () => {
    await using host = await sharedHost({ config: { permissions: [{ allow: "all" }, { deny: "path:**/.env" }] } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, ".env");
    await run(screen, threadId, { ask: "fs/write_text_file", params: { path, content: "KEY=1" } });
    expect(said(screen, threadId)).toContain("A rule of the user does not allow this.");
    expect(existsSync(path)).toBe(false);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "denied", rule: "path:**/.env" }]);
  });

  it("of the data folder are refused", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const token = join(host.process.ready.data_dir, "token");
    await run(screen, threadId, { ask: "fs/read_text_file", params: { path: token } });
    expect(said(screen, threadId)).toContain('"error"');
    expect(said(screen, threadId)).not.toContain(host.process.ready.token);
  });

  it("an agent that asked for the call is not asked again for the write", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "b.txt");
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", { kind: "edit", locations: [{ path }] }),
      askPermission("c1"),
      { ask: "fs/write_text_file", params: { path, content: "b" } },
      toolCallUpdate("c1", { status: "completed" }),
    );
    const asked = await question(screen, threadId);
    await screen.request({
      control: "permission.respond",
      thread_id: threadId,
      permission_id: asked.permission_id,
      option_id: "yes",
    });
    await turnEnd(screen, turnId);
    expect(readFileSync(path, "utf8")).toBe("b");
    expect(viewOf(screen.received, threadId).permissions).toHaveLength(1);
  });

  it("permission to read is none to write, and an earlier permission does not override a deny rule", async () => {
    const permissions = [{ allow: "kind:read" }, { allow: "tool:patch" }, { deny: "kind:edit,path:kept/**" }];
    await using host = await sharedHost({ config: { permissions } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "kept/a.txt");
    const write = { ask: "fs/write_text_file", params: { path, content: "changed" } };
    await run(screen, threadId, askPermission("c1", { kind: "read", locations: [{ path }] }), write);
    await run(screen, threadId, askPermission("c2", { name: "patch", locations: [{ path }] }), write);
    expect(viewOf(screen.received, threadId).permissions.map(({ status }) => status)).toEqual([
      "allowed",
      "denied",
      "allowed",
      "denied",
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it("a question shows what would really happen, whatever title the agent gave it", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "a.txt");
    const locations = [{ path }];
    await submit(
      screen,
      threadId,
      toolCall("reads", { title: "Read it", kind: "read", locations }),
      toolCall("harmless", { title: "Looks harmless", kind: "other", locations }),
      toolCall("reads-too", { title: "Read it again", kind: "read", locations }),
      { ask: "fs/write_text_file", params: { path, content: "new" } },
    );
    const asked = await question(screen, threadId);
    const calls = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
    expect(calls.find((call) => call.tool_call_id === "harmless")).toMatchObject({ title: "Looks harmless" });
    expect(calls.find((call) => call.tool_call_id === asked.tool_call_id)).toMatchObject({
      title: "Write `a.txt`",
      kind: "edit",
      content: [{ type: "diff", newText: "new" }],
    });
  });

  it("the text of an open question stays, also if the agent changes its call; two questions stay separate", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "a.txt");
    const write = (content: string) => ({
      send: { id: content, method: "fs/write_text_file", params: { sessionId: "s", path, content } },
    });
    await submit(
      screen,
      threadId,
      toolCall("c1", { kind: "edit", locations: [{ path }] }),
      write("first"),
      askForm({}),
      toolCallUpdate("c1", { title: "Read it", kind: "read", content: [] }),
      write("second"),
      { say: "done" },
      { wait: 60_000 },
    );
    const rows = () => viewOf(screen.received, threadId);
    await question(screen, threadId);
    // The agent goes on only when the first question is open.
    const { elicitation_id } = await elicitation(screen, threadId);
    await screen.request({ control: "elicitation.respond", thread_id: threadId, elicitation_id, action: "decline" });
    await expect.poll(() => rows().permissions.length).toBe(2);
    const all = rows().timeline.filter((item) => item.type === "tool_call");
    const calls = all.filter(({ tool_call_id }) => tool_call_id !== "c1");
    expect(calls).toMatchObject([
      { title: "Write `a.txt`", kind: "edit", content: [{ type: "diff", newText: "first" }] },
      { title: "Write `a.txt`", kind: "edit", content: [{ type: "diff", newText: "second" }] },
    ]);
    expect(rows().permissions.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map((call) => call.tool_call_id));
  });

  it("links avoid no rule, and lead out of the folder only with permission", async () => {
    const permissions = [{ allow: "path:src/**" }, { deny: "path:kept/**" }];
    await using host = await sharedHost({ config: { permissions } });
    for (const name of ["src", "kept", "other"]) mkdirSync(join(host.project, name));
    for (const name of ["kept", "other"]) symlinkSync(`../${name}`, join(host.project, "src", name));
    symlinkSync(host.folder.path, join(host.project, "out"));
    writeFileSync(host.folder.in("outside.txt"), "outside");
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const write = (name: string) => ({
      ask: "fs/write_text_file",
      params: { path: join(host.project, name), content: "x" },
    });
    await run(screen, threadId, write("src/plain"), write("src/kept/a"));
    const asksItself = askPermission("c1", { kind: "edit", locations: [{ path: "src/kept/b" }] });
    await run(screen, threadId, asksItself);
    const statuses = () => viewOf(screen.received, threadId).permissions.map(({ status }) => status);
    expect(statuses()).toEqual(["allowed", "denied", "denied"]);
    expect(existsSync(join(host.project, "kept/a"))).toBe(false);

    const turnId = await submit(screen, threadId, write("src/other/a"), {
      ask: "fs/read_text_file",
      params: { path: join(host.project, "out/outside.txt") },
    });
    for (const title of ["Write `src/other/a`, which is `other/a`", `which is \`${host.folder.in("outside.txt")}\``]) {
      const { permission_id, tool_call_id } = await question(screen, threadId);
      const calls = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
      expect(calls.find((call) => call.tool_call_id === tool_call_id)?.title).toContain(title);
      await screen.request({
        control: "permission.respond",
        thread_id: threadId,
        permission_id,
        option_id: "reject_once",
      });
    }
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).not.toContain("outside");
    expect(existsSync(join(host.project, "other/a"))).toBe(false);
  });

  it("a link that changes while the question is open is not followed", async () => {
    await using host = await sharedHost();
    for (const name of ["one", "two"]) mkdirSync(join(host.project, name));
    symlinkSync("one", join(host.project, "link"));
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "link/a.txt");
    const turnId = await submit(screen, threadId, { ask: "fs/write_text_file", params: { path, content: "x" } });
    const { permission_id } = await question(screen, threadId);
    rmSync(join(host.project, "link"));
    symlinkSync("two", join(host.project, "link"));
    await screen.request({
      control: "permission.respond",
      thread_id: threadId,
      permission_id,
      option_id: "allow_once",
    });
    await turnEnd(screen, turnId);
    expect(readFileSync(join(host.project, "one/a.txt"), "utf8")).toBe("x");
    expect(existsSync(join(host.project, "two/a.txt"))).toBe(false);
  });
});
