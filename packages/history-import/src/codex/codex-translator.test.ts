import type { JsonObject, Update } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import type { HistoryEntry } from "../history.ts";
import { readPatchedFiles } from "./apply-patch.ts";
import { codexFormat } from "./codex-format.ts";

const at = (second: number) => new Date(Date.parse("2026-01-02T10:00:00Z") + second * 1000).toISOString();
const line = (second: number, type: string, payload: object): JsonObject =>
  ({ timestamp: at(second), type, payload }) as JsonObject;
const item = (second: number, payload: object) => line(second, "response_item", payload);
const event = (second: number, payload: object) => line(second, "event_msg", payload);
const said = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const meta = line(0, "session_meta", {
  id: "c1",
  timestamp: at(0),
  cwd: "/work",
  cli_version: "0.137.0",
  source: "cli",
});
const tokens = (total: number, output: number, cached: number) =>
  event(9, {
    type: "token_count",
    info: {
      total_token_usage: {
        input_tokens: total - output,
        cached_input_tokens: cached,
        output_tokens: output,
        reasoning_output_tokens: 1,
        total_tokens: total,
      },
    },
  });

async function* asyncly(lines: readonly JsonObject[]) {
  yield* lines;
}

async function translate(...lines: readonly JsonObject[]): Promise<readonly HistoryEntry[]> {
  const head = await codexFormat.readHead("/x/rollout-2026-01-02T10-00-00-c1.jsonl", asyncly(lines));
  if (head === null) return [];
  const translator = codexFormat.createTranslator(head);
  return [...lines.flatMap((each) => translator.translate(each)), ...translator.end()];
}

function told(entries: readonly HistoryEntry[]): readonly unknown[] {
  return entries.map((entry) => {
    if (entry.type === "fact") return { ...entry.fact, meta: undefined };
    return entry.type === "update" ? fieldsOf(entry.update) : { method: entry.method };
  });
}

function fieldsOf(update: Update): JsonObject {
  return update.type === "malformed" ? {} : update.fields;
}

const text = (words: string) => ({ type: "text", text: words });

describe("a rollout of Codex", () => {
  it("has titles without secrets, as live threads have", async () => {
    const command = "curl -H 'Authorization: Bearer abcdef123456' https://x.example";
    const call = { type: "function_call", call_id: "c", name: "shell_command", arguments: JSON.stringify({ command }) };
    const [update] = told(await translate(meta, item(1, said("user", "Go")), item(2, call))).filter(
      (each) => (each as JsonObject).sessionUpdate === "tool_call",
    ) as JsonObject[];
    expect(update).toMatchObject({ kind: "execute", title: expect.stringContaining("curl") });
    expect(update?.title).not.toContain("abcdef123456");
  });

  it("becomes turns: what was said twice in the file is there once, and each turn has what it cost", async () => {
    const entries = await translate(
      meta,
      event(1, { type: "task_started" }),
      item(1, said("developer", "<permissions instructions>…")),
      item(1, said("user", "<environment_context>\n<cwd>/work</cwd>\n</environment_context>")),
      item(2, said("user", "Do it")),
      event(2, { type: "user_message", message: "Do it", images: ["data:image/png;base64,AAAA"] }),
      event(3, { type: "agent_reasoning", text: "Let me look." }),
      item(3, { type: "reasoning", summary: [{ type: "summary_text", text: "Let me look." }], encrypted_content: "…" }),
      event(4, { type: "agent_message", message: "I look." }),
      item(4, said("assistant", "I look.")),
      item(5, { type: "function_call", name: "exec_command", arguments: '{"cmd":"cat a.txt"}', call_id: "call1" }),
      item(6, {
        type: "function_call_output",
        call_id: "call1",
        output: "Wall time: 0\nProcess exited with code 1\nOutput:\nno such file",
      }),
      tokens(120, 20, 50),
      event(7, { type: "task_complete", last_agent_message: "I look." }),
      event(8, { type: "user_message", message: "More", images: [] }),
      tokens(300, 50, 80),
      event(9, { type: "turn_aborted", reason: "interrupted" }),
    );
    expect(told(entries)).toMatchObject([
      { type: "session_started", session_id: "c1" },
      { type: "turn_queued", prompt: [text("Do it"), { type: "image", mimeType: "image/png", data: "AAAA" }] },
      { type: "turn_started" },
      { sessionUpdate: "agent_thought_chunk", content: text("Let me look.") },
      { sessionUpdate: "agent_message_chunk", content: text("I look.") },
      {
        sessionUpdate: "tool_call",
        toolCallId: "call1",
        title: "`cat a.txt`",
        kind: "execute",
        rawInput: { cmd: "cat a.txt" },
      },
      { sessionUpdate: "tool_call_update", toolCallId: "call1", status: "failed" },
      {
        type: "turn_ended",
        stop_reason: "end_turn",
        usage: { inputTokens: 50, outputTokens: 20, thoughtTokens: 1, cachedReadTokens: 50, totalTokens: 120 },
      },
      { type: "turn_queued", prompt: [text("More")] },
      { type: "turn_started" },
      { type: "turn_ended", stop_reason: "cancelled", usage: { inputTokens: 120, outputTokens: 30, totalTokens: 180 } },
    ]);
  });

  it("shows patches as changes, plans as plans, and commands as they were typed", async () => {
    const patch =
      "*** Begin Patch\n*** Update File: src/a.ts\n@@ function a\n one\n-two\n+three\n*** Add File: b.ts\n+new\n*** End Patch";
    const entries = await translate(
      meta,
      event(1, { type: "user_message", message: "Go" }),
      item(2, { type: "custom_tool_call", name: "apply_patch", input: patch, call_id: "p1" }),
      item(2, {
        type: "custom_tool_call_output",
        call_id: "p1",
        output: '{"output":"Success","metadata":{"exit_code":0}}',
      }),
      item(3, {
        type: "function_call",
        name: "update_plan",
        arguments: '{"plan":[{"step":"look","status":"completed"}]}',
        call_id: "u",
      }),
      item(4, {
        type: "function_call",
        name: "shell",
        arguments: '{"command":["bash","-lc","API_KEY=abc git status"]}',
        call_id: "s",
      }),
      item(5, { type: "function_call_output", call_id: "s", output: '{"output":"clean","metadata":{"exit_code":0}}' }),
      item(6, { type: "web_search_call", action: { type: "search", query: "vitest" } }),
      item(7, { type: "something_new", field: 1 }),
      event(8, { type: "error", message: "stream disconnected" }),
    );
    expect(told(entries).slice(3)).toMatchObject([
      {
        title: "Edit `src/a.ts` and 1 more",
        kind: "edit",
        content: [
          { type: "diff", path: "/work/src/a.ts", oldText: "one\ntwo", newText: "one\nthree" },
          { type: "diff", path: "/work/b.ts", oldText: null, newText: "new" },
        ],
      },
      expect.not.objectContaining({ content: expect.anything() as unknown }),
      { title: "Update the plan", kind: "think" },
      { sessionUpdate: "plan", entries: [{ content: "look", priority: "medium", status: "completed" }] },
      { title: "`API_KEY=*** git status`", kind: "execute" },
      { toolCallId: "s", status: "completed", content: [{ content: text("clean") }] },
      { title: 'Search the web for "vitest"', kind: "fetch", status: "completed" },
      { method: "_codex/something_new" },
      { type: "turn_failed", error: { message: "stream disconnected" } },
    ]);
  });

  it("reads rollouts from before there were events", async () => {
    const entries = await translate(
      { id: "old", timestamp: at(0), instructions: null },
      { record_type: "state" },
      said("user", "<environment_context>\nCurrent working directory: /old/place\n</environment_context>"),
      said("user", "Hello"),
      said("assistant", "Hi."),
    );
    expect(told(entries)).toMatchObject([
      { type: "session_started", session_id: "old" },
      { type: "turn_queued", prompt: [text("Hello")] },
      { type: "turn_started" },
      { sessionUpdate: "agent_message_chunk", content: text("Hi.") },
      { type: "turn_ended" },
    ]);
  });

  it("is about the user's first words in the folder it says, and nothing when no one spoke or a subagent ran it", async () => {
    const head = (...lines: readonly JsonObject[]) => codexFormat.readHead("/x/rollout-c1.jsonl", asyncly(lines));
    const prompt = event(1, { type: "user_message", message: `\n  ${"word ".repeat(40)}\nsecond line` });
    const found = await head(meta, prompt);
    expect(found).toMatchObject({ sessionId: "c1", cwd: "/work", startedAt: Date.parse(at(0)) });
    expect(found?.title).toMatch(/^word word .*…$/);
    expect(found?.title.length).toBeLessThanOrEqual(80);
    expect(await head(meta)).toBeNull();
    expect(await head(line(0, "session_meta", { id: "c1", source: { subagent: {} } }), prompt)).toBeNull();
  });

  it("takes a patch that is none", () => {
    expect(readPatchedFiles("")).toEqual([]);
    expect(readPatchedFiles("+a\n-b")).toEqual([]);
  });
});
