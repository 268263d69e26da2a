// Messages as Claude Code sends them (seen with version 0.3.325 of the SDK), and the updates that a client gets.
import { beforeEach, describe, expect, it } from "vitest";
import { readMessage } from "../sdk/messages.ts";
import { SessionToolCalls } from "./session-tool-calls.ts";
import { KeptUpdates } from "./test-updates.ts";
import { Translator } from "./translator.ts";

let client: KeptUpdates;
let translator: Translator;
let calls: SessionToolCalls;
let modes: string[];
let reads: unknown[];

beforeEach(() => {
  client = new KeptUpdates();
  modes = [];
  reads = [];
  calls = new SessionToolCalls({ client, sessionId: "s", cwd: "/work" });
  translator = new Translator({
    sessionId: "s",
    client,
    calls,
    showsNotices: true,
    onMode: (mode) => modes.push(mode),
    onRead: (...read) => reads.push(read),
  });
});

function receive(...messages: object[]): void {
  for (const each of messages) {
    const message = readMessage(each);
    if (message !== null) translator.add(message);
  }
}

const event = (inner: object, parent: string | null = null) => ({
  type: "stream_event",
  event: inner,
  parent_tool_use_id: parent,
});
const begin = (id: string, parent: string | null = null) =>
  event({ type: "message_start", message: { id, usage: { input_tokens: 100, output_tokens: 1 } } }, parent);
const delta = (inner: object, parent: string | null = null) =>
  event({ type: "content_block_delta", index: 0, delta: inner }, parent);
const assistant = (id: string, content: object[], rest: object = {}) => ({
  type: "assistant",
  message: { id, content },
  parent_tool_use_id: null,
  ...rest,
});
const toolUse = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, rest: object = {}) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...rest }] },
  parent_tool_use_id: null,
});

describe("from Claude Code to ACP", () => {
  it("text, thoughts and calls come in order, and what was streamed comes once", () => {
    receive(
      begin("m1"),
      delta({ type: "thinking_delta", thinking: "Hm." }),
      assistant("m1", [{ type: "thinking", thinking: "Hm." }]),
      delta({ type: "text_delta", text: "I " }),
      delta({ type: "text_delta", text: "read." }),
      assistant("m1", [{ type: "text", text: "I read." }]),
      event({
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "t1", name: "mcp__acp__Read", input: {} },
      }),
      assistant("m1", [toolUse("t1", "mcp__acp__Read", { file_path: "/work/a" })]),
      result("t1", [{ type: "text", text: "1\tone" }]),
      begin("m2"),
      delta({ type: "text_delta", text: "Done." }),
    );
    expect(client.story).toEqual(["thought:Hm.", "text:I ", "text:read.", "call:Read", "text:Done."]);
    expect(client.calls).toMatchObject([
      {
        title: "Read `a`",
        status: "completed",
        rawInput: { file_path: "/work/a" },
        content: [{ content: { text: "1\tone" } }],
      },
    ]);
  });

  it("a message that was not streamed is told whole, but not the words of an error", () => {
    receive(assistant("m1", [{ type: "text", text: "## Context" }]));
    receive(assistant("m2", [{ type: "text", text: "Not logged in" }], { error: "authentication_failed" }));
    expect(client.story).toEqual(["text:## Context"]);
  });

  it("a failed call says why, without Claude Code's own marks", () => {
    receive(assistant("m", [toolUse("t", "Bash", { command: "x" })]));
    receive(result("t", "<tool_use_error>No such tool</tool_use_error>", { is_error: true }));
    expect(client.calls).toMatchObject([{ status: "failed", content: [{ content: { text: "No such tool" } }] }]);
  });

  it("an edit of Claude Code's own keeps its diff and gets the lines that changed", () => {
    const input = { file_path: "/work/a", old_string: "a", new_string: "b" };
    const outcome = { filePath: "/work/a", structuredPatch: [{ newStart: 7 }, { newStart: 40 }] };
    receive(assistant("m", [toolUse("t", "Edit", input)]), {
      ...result("t", "The file was updated."),
      tool_use_result: outcome,
    });
    expect(client.calls).toMatchObject([
      {
        content: [{ type: "diff", oldText: "a", newText: "b" }],
        locations: [
          { path: "/work/a", line: 7 },
          { path: "/work/a", line: 40 },
        ],
      },
    ]);
  });

  it("a write of Claude Code's own shows what stood there before", () => {
    const outcome = { type: "update", filePath: "/work/a", content: "new", originalFile: "old", structuredPatch: [] };
    receive(assistant("m", [toolUse("t", "Write", { file_path: "/work/a", content: "new" })]));
    receive({ ...result("t", "ok"), tool_use_result: outcome });
    expect(client.calls).toMatchObject([{ content: [{ type: "diff", oldText: "old", newText: "new" }] }]);
  });

  it("images are shown, and what is only for the model is not", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
    const text = { type: "text", text: "seen <system-reminder>be good</system-reminder>" };
    receive(assistant("m", [toolUse("t", "Read", { file_path: "/work/a.png" })]), result("t", [text, image]));
    expect(client.calls[0]?.content).toEqual([
      { type: "content", content: { type: "text", text: "seen" } },
      { type: "content", content: { type: "image", data: "AA==", mimeType: "image/png" } },
    ]);
  });

  it("TodoWrite becomes the plan", () => {
    const todos = [
      { content: "look", status: "completed", activeForm: "looking" },
      { content: "mend", status: "in_progress", activeForm: "mending" },
    ];
    receive(assistant("m", [toolUse("t", "TodoWrite", { todos })]), result("t", "ok"));
    expect(client.all.find(({ sessionUpdate }) => sessionUpdate === "plan")).toMatchObject({
      entries: [
        { content: "look", status: "completed" },
        { content: "mend", status: "in_progress" },
      ],
    });
  });

  it("calls of a sub-agent name the call they belong to; what it says is not Claude's word", () => {
    const parent = { parent_tool_use_id: "t1" };
    receive(assistant("m1", [toolUse("t1", "Agent", { description: "Look", prompt: "p" })]));
    receive(assistant("s1", [{ type: "text", text: "Sub says" }, toolUse("t2", "Bash", { command: "ls" })], parent));
    receive(begin("s2", "t1"), delta({ type: "text_delta", text: "more" }, "t1"));
    expect(client.story).toEqual(["call:Agent", "call:Bash"]);
    expect(client.calls[1]).toMatchObject({ _meta: { claudeCode: { toolName: "Bash", parentToolUseId: "t1" } } });
  });

  it("usage is told when it is known how much there is room for", () => {
    const used = event({
      type: "message_delta",
      usage: { input_tokens: 50, cache_read_input_tokens: 50, output_tokens: 20 },
    });
    receive(begin("m1"), used);
    expect(client.story).toEqual([]);
    const modelUsage = {
      small: { inputTokens: 1, contextWindow: 5 },
      big: { inputTokens: 100, contextWindow: 200_000 },
    };
    receive({ type: "result", subtype: "success", is_error: false, total_cost_usd: 0.5, modelUsage });
    receive(begin("m2"));
    expect(client.all).toEqual([
      { sessionUpdate: "usage_update", used: 120, size: 200_000, cost: { amount: 0.5, currency: "USD" } },
      { sessionUpdate: "usage_update", used: 101, size: 200_000 },
    ]);
  });

  it("commands, modes, retries and the output of commands are told", () => {
    const command = { name: "compact", description: "Sum up", argumentHint: "<what>" };
    const prompt = { name: "docs:find (MCP)", description: "Find", argumentHint: "" };
    const login = { name: "login", description: "Log in", argumentHint: "" };
    const retry = { attempt: 2, max_retries: 10, retry_delay_ms: 1500, error_status: 529, error: "overloaded" };
    const printed = "<local-command-stdout>Compacted</local-command-stdout>";
    receive({ type: "system", subtype: "commands_changed", commands: [command, prompt, login] });
    receive({ type: "system", subtype: "status", permissionMode: "acceptEdits" });
    receive({ type: "system", subtype: "api_retry", ...retry });
    receive({ type: "user", message: { role: "user", content: printed }, parent_tool_use_id: null });
    expect(client.all).toMatchObject([
      { availableCommands: [{ name: "compact", input: { hint: "<what>" } }, { name: "mcp:docs:find" }] },
      { sessionUpdate: "notice", severity: "warning" },
      { content: { text: "Compacted" } },
    ]);
    expect(modes).toEqual(["acceptEdits"]);
  });

  it("what Claude Code reads itself is known as seen", () => {
    const file = { filePath: "/work/a", content: "two\n", startLine: 2, numLines: 1, totalLines: 3 };
    receive(assistant("m", [toolUse("t", "Read", { file_path: "/work/a" })]));
    receive({ ...result("t", "2\ttwo"), tool_use_result: { type: "text", file } });
    expect(reads).toEqual([["/work/a", 2, "two\n", false]]);
  });

  it("what no one knows is passed over", () => {
    receive(
      { type: "new_thing" },
      { type: "system", subtype: "other" },
      { type: "stream_event" },
      { type: "user" },
      result("no one", "x"),
    );
    expect([readMessage(null), readMessage("x"), readMessage([])]).toEqual([null, null, null]);
    expect(client.all).toEqual([]);
  });
});

describe("the calls of a session", () => {
  it("are announced by the first source that has them, once", () => {
    calls.announce({ id: "t", name: "mcp__acp__Bash", input: { command: "ls" } });
    calls.start("t");
    receive(assistant("m", [toolUse("t", "Bash", { command: "ls" })]));
    expect(client.story).toEqual(["call:Bash"]);
    expect(client.calls).toMatchObject([{ title: "`ls`", status: "in_progress" }]);
  });

  it("show what a tool of ours shows, not what it tells the model", () => {
    receive(assistant("m", [toolUse("t", "mcp__acp__Bash", { command: "ls" })]));
    calls.show("t", { content: [{ type: "terminal", terminalId: "x" }] });
    receive(result("t", [{ type: "text", text: "a b c" }]));
    expect(client.calls).toMatchObject([{ status: "completed", content: [{ type: "terminal", terminalId: "x" }] }]);
  });

  it("never ran when they were denied, and ran when they failed later", () => {
    receive(assistant("m", [toolUse("t1", "Bash", { command: "ls" }), toolUse("t2", "Bash", { command: "ls" })]));
    calls.start("t2");
    receive(result("t1", "The user denied this.", { is_error: true }), result("t2", "ls: no", { is_error: true }));
    const states = (id: string) =>
      client.all.flatMap((update) => ("toolCallId" in update && update.toolCallId === id ? (update.status ?? []) : []));
    expect(states("t1")).toEqual(["pending", "failed"]);
    expect(states("t2")).toEqual(["pending", "in_progress", "failed"]);
  });

  it("all end, whatever happens", async () => {
    receive(assistant("m", [toolUse("t1", "Bash", { command: "ls" }), toolUse("t2", "Bash", { command: "ls" })]));
    calls.start("t2");
    await calls.settleAll("The user cancelled.");
    expect(client.calls.map(({ status }) => status)).toEqual(["failed", "failed"]);
    receive(result("t1", "late"));
    expect(client.calls[0]).toMatchObject({ status: "failed" });
  });
});

describe("a stored conversation", () => {
  it("is told with the person's own words, without Claude Code's", () => {
    const user = (content: unknown) =>
      readMessage({ type: "user", message: { role: "user", content }, parent_tool_use_id: null });
    const stored = [
      user("Begin"),
      readMessage(
        assistant("m", [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "Hi." },
        ]),
      ),
      user("[Request interrupted by user]"),
      user("<system-reminder>be good</system-reminder>"),
      user("<command-name>/compact</command-name><command-args>now</command-args>"),
      user([
        { type: "text", text: "More" },
        { type: "text", text: '<context ref="file:///a">x</context>' },
      ]),
    ];
    for (const message of stored) {
      if (message?.type === "user" || message?.type === "assistant") translator.replay(message);
    }
    expect(client.story).toEqual(["user:Begin", "thought:Hm.", "text:Hi.", "user:/compact now", "user:More"]);
  });
});
