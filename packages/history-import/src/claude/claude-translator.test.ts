import type { JsonObject, Update } from "@signalbox/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HistoryEntry } from "../history.ts";
import { ClaudeTranslator } from "./claude-translator.ts";

const head = { sessionId: "s1", cwd: "/work", title: "T", startedAt: Date.parse("2026-01-02T10:00:00Z") };

let second = 0;
const stamp = () => new Date(head.startedAt + 1000 * second++).toISOString();
const user = (content: unknown, fields: object = {}): JsonObject =>
  ({ type: "user", timestamp: stamp(), message: { role: "user", content }, ...fields }) as JsonObject;
const assistant = (content: readonly object[], message: object = {}, fields: object = {}): JsonObject =>
  ({
    type: "assistant",
    timestamp: stamp(),
    message: { role: "assistant", id: "m1", content, ...message },
    ...fields,
  }) as JsonObject;

function translate(...lines: readonly JsonObject[]): readonly HistoryEntry[] {
  const translator = new ClaudeTranslator(head);
  return [...lines.flatMap((line) => translator.translate(line)), ...translator.end()];
}

/** The facts by type and the updates, without the numbers that the import adds. */
function told(entries: readonly HistoryEntry[]): readonly unknown[] {
  return entries.slice(1).map((entry) => {
    if (entry.type === "fact") return { ...entry.fact, meta: undefined };
    return entry.type === "update" ? fieldsOf(entry.update) : { method: entry.method };
  });
}

function fieldsOf(update: Update): JsonObject {
  return update.type === "malformed" ? {} : update.fields;
}

function titleIn(entry: HistoryEntry | undefined): unknown {
  return entry?.type === "update" ? fieldsOf(entry.update).title : undefined;
}

const text = (words: string) => ({ type: "text", text: words });

describe("a session of Claude Code", () => {
  it("has titles without secrets, as live threads have", () => {
    const input = { command: "curl -H 'Authorization: Bearer abcdef123456' https://x.example" };
    const [, , , call] = translate(user("Go"), assistant([{ type: "tool_use", id: "t", name: "Bash", input }]));
    expect(call).toMatchObject({ update: { fields: { kind: "execute", title: expect.stringContaining("curl") } } });
    expect(JSON.stringify(call?.type === "update" ? fieldsOf(call.update) : {})).toContain("abcdef123456");
    expect(titleIn(call)).not.toContain("abcdef123456");
  });

  it("becomes a turn with thoughts, words, a tool call with its result, and what it cost", () => {
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 };
    const entries = translate(
      user("Fix the test"),
      assistant([{ type: "thinking", thinking: "Hm.", signature: "x" }], { usage }),
      assistant([text("I look.")], { usage }),
      assistant([{ type: "tool_use", id: "tool1", name: "Bash", input: { command: "npm test", description: "run" } }], {
        usage,
      }),
      user([{ type: "tool_result", tool_use_id: "tool1", content: "1 failed", is_error: true }], {
        toolUseResult: "Error: 1 failed",
      }),
      assistant([text("Done.")], { id: "m2", usage: { input_tokens: 1, output_tokens: 2 }, stop_reason: "end_turn" }),
      user("Thanks"),
    );
    expect(told(entries)).toMatchObject([
      { type: "turn_queued", turn_id: "import-1", prompt: [text("Fix the test")] },
      { type: "turn_started", turn_id: "import-1" },
      { sessionUpdate: "agent_thought_chunk", content: text("Hm.") },
      { sessionUpdate: "agent_message_chunk", content: text("I look.") },
      {
        sessionUpdate: "tool_call",
        toolCallId: "tool1",
        title: "`npm test`",
        kind: "execute",
        rawInput: { command: "npm test", description: "run" },
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "tool1",
        status: "failed",
        content: ["run", "1 failed"].map((each) => ({ type: "content", content: text(each) })),
        rawOutput: "Error: 1 failed",
      },
      { sessionUpdate: "agent_message_chunk", content: text("Done.") },
      {
        type: "turn_ended",
        turn_id: "import-1",
        stop_reason: "end_turn",
        usage: { inputTokens: 11, outputTokens: 7, cachedReadTokens: 100, cachedWriteTokens: 7, totalTokens: 125 },
      },
      { type: "turn_queued", prompt: [text("Thanks")] },
      { type: "turn_started" },
      { type: "turn_ended", stop_reason: "end_turn" },
    ]);
  });

  it("keeps the times of the lines: a turn ends when its last line came, not when the next began", () => {
    const entries = translate(
      user("One", { timestamp: "2026-01-02T11:00:00Z" }),
      assistant([text("Yes.")], {}, { timestamp: "2026-01-02T11:00:09Z" }),
      user("Two", { timestamp: "2026-01-03T09:00:00Z" }),
      assistant([text("Late clock.")], {}, { timestamp: "2026-01-01T00:00:00Z" }),
    );
    const times = entries.map(({ at }) => new Date(at).toISOString().slice(5, 19));
    expect(times).toEqual([
      "01-02T10:00:00",
      "01-02T11:00:00",
      "01-02T11:00:00",
      "01-02T11:00:09",
      "01-02T11:00:09",
      "01-03T09:00:00",
      "01-03T09:00:00",
      "01-03T09:00:00",
      "01-03T09:00:00",
    ]);
  });

  it("shows the client's tools and those of MCP servers as live threads do", () => {
    const edit = { file_path: "src/a.ts", old_string: "a", new_string: "b" };
    const entries = translate(
      user("Go"),
      assistant([
        { type: "tool_use", id: "e", name: "mcp__acp__Edit", input: edit },
        {
          type: "tool_use",
          id: "b",
          name: "mcp__acp__Bash",
          input: { command: "curl -H 'Authorization: Bearer abcdef123456'" },
        },
        { type: "tool_use", id: "g", name: "mcp__github__create_issue", input: { title: "x" } },
      ]),
    );
    const [edited, ran, created] = told(entries).slice(2, -1);
    expect(edited).toMatchObject({
      name: "Edit",
      kind: "edit",
      title: "Edit `src/a.ts`",
      locations: [{ path: "/work/src/a.ts" }],
      content: [{ type: "diff", path: "/work/src/a.ts", oldText: "a", newText: "b" }],
    });
    expect(ran).toMatchObject({ name: "Bash", kind: "execute", title: expect.not.stringContaining("abcdef123456") });
    expect(created).toMatchObject({ name: "mcp__github__create_issue", kind: "edit", title: "github/create_issue" });
  });

  it("shows what a tool of an MCP server returned, also of one that sounds like an edit", () => {
    const entries = translate(
      user("Go"),
      assistant([{ type: "tool_use", id: "g", name: "mcp__github__create_issue", input: { title: "x" } }]),
      user([{ type: "tool_result", tool_use_id: "g", content: [{ type: "text", text: "Issue 7 was made." }] }]),
    );
    expect(told(entries)).toContainEqual(
      expect.objectContaining({
        toolCallId: "g",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "Issue 7 was made." } }],
      }),
    );
  });

  it("shows edits as changes and todo lists as a plan", () => {
    const edit = { file_path: "/work/src/a.ts", old_string: "a", new_string: "b" };
    const todos = [{ content: "Look", status: "completed", activeForm: "Looking" }];
    const entries = translate(
      user("Go"),
      assistant([
        { type: "tool_use", id: "e", name: "Edit", input: edit },
        { type: "tool_use", id: "w", name: "Write", input: { file_path: "/elsewhere/b.ts", content: "new" } },
        { type: "tool_use", id: "t", name: "TodoWrite", input: { todos } },
      ]),
      user([{ type: "tool_result", tool_use_id: "e", content: "The file has been updated." }]),
      user([{ type: "tool_result", tool_use_id: "w", content: "No permission.", is_error: true }]),
    );
    const write = { type: "diff", path: "/elsewhere/b.ts", oldText: null, newText: "new" };
    expect(told(entries).slice(2, -1)).toMatchObject([
      {
        title: "Edit `src/a.ts`",
        kind: "edit",
        locations: [{ path: "/work/src/a.ts" }],
        content: [{ type: "diff", path: "/work/src/a.ts", oldText: "a", newText: "b" }],
      },
      { title: "Write `/elsewhere/b.ts`", content: [write] },
      { title: "Update the plan", kind: "think" },
      { sessionUpdate: "plan", entries: [{ content: "Look", priority: "medium", status: "completed" }] },
      // The change stays as it was shown.
      expect.not.objectContaining({ content: expect.anything() as unknown }),
      { toolCallId: "w", status: "failed", content: [write, { type: "content", content: text("No permission.") }] },
    ]);
  });

  it("knows what the user did not say: commands, their output, interruptions, errors, caveats, subagents", () => {
    const entries = translate(
      user(
        "<command-message>init</command-message>\n<command-name>/init</command-name>\n<command-args>all of it</command-args>",
      ),
      user("<local-command-stdout>\u001b[1mSet model\u001b[0m</local-command-stdout>"),
      user("Caveat: …", { isMeta: true }),
      user("A subagent's prompt", { isSidechain: true }),
      { type: "file-history-snapshot", snapshot: {} },
      user([text("[Request interrupted by user for tool use]")]),
      user("Again"),
      assistant([text("API Error: overloaded")], {}, { isApiErrorMessage: true }),
      { type: "system", subtype: "compact_boundary", timestamp: stamp() },
    );
    expect(told(entries)).toMatchObject([
      { type: "turn_queued", prompt: [text("/init all of it")] },
      { type: "turn_started" },
      { sessionUpdate: "agent_message_chunk", content: text("Set model") },
      { method: "_claude_code/meta" },
      { type: "turn_ended", stop_reason: "cancelled" },
      { type: "turn_queued", prompt: [text("Again")] },
      { type: "turn_started" },
      { type: "turn_failed", error: { code: "agent_failed", message: "API Error: overloaded" } },
      { method: "_claude_code/system" },
    ]);
  });

  it("keeps images in prompts and in results", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } };
    const entries = translate(
      user([text("What is this?"), image]),
      assistant([
        { type: "tool_use", id: "r", name: "Read", input: { file_path: "/work/a.png", offset: 5, limit: 10 } },
      ]),
      user([{ type: "tool_result", tool_use_id: "r", content: [image] }]),
    );
    const block = { type: "image", mimeType: "image/jpeg", data: "AAAA" };
    expect(told(entries)).toMatchObject([
      { prompt: [text("What is this?"), block] },
      {},
      { title: "Read `a.png` (5 - 14)", kind: "read" },
      { content: [{ type: "content", content: block }] },
      {},
    ]);
  });

  it("says the same of the first lines whatever follows, and numbers every entry once", () => {
    const any = fc.oneof(
      fc.string().map((words) => user(words)),
      fc.string().map((words) => assistant([text(words)])),
      fc.nat(5).map((id) => assistant([{ type: "tool_use", id: `t${id}`, name: "Bash", input: { command: "ls" } }])),
      fc.nat(5).map((id) => user([{ type: "tool_result", tool_use_id: `t${id}`, content: "x" }])),
      fc.constant(user("[Request interrupted by user]")),
      fc.json().map((json) => ({ type: "user", message: { content: JSON.parse(json) as never } })),
      fc.dictionary(fc.string(), fc.jsonValue()).map((object) => object as JsonObject),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), fc.nat(12), (lines, length) => {
        const translateAll = (some: readonly JsonObject[]) => {
          const translator = new ClaudeTranslator(head);
          const entries = some.flatMap((line) => translator.translate(line));
          expect(translator.count).toBe(Math.max(entries.length, 1));
          return entries;
        };
        const whole = translateAll(lines);
        const beginning = translateAll(lines.slice(0, length));
        expect(whole.slice(0, beginning.length)).toEqual(beginning);
      }),
    );
  });
});
