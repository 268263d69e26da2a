// A tool call of Claude Code looks the same whether it was seen live or imported later from Claude Code's own history.
import { claudeToolNames, mergeToolCall, type ToolCallFields } from "@signalbox/tool-calls";
import { describe, expect, it } from "vitest";
import { readMessage } from "../../packages/claude-agent/src/sdk/messages.ts";
import { SessionToolCalls } from "../../packages/claude-agent/src/updates/session-tool-calls.ts";
import { KeptUpdates } from "../../packages/claude-agent/src/updates/test-updates.ts";
import { Translator } from "../../packages/claude-agent/src/updates/translator.ts";
import { ClaudeTranslator } from "../../packages/history-import/src/claude/claude-translator.ts";

const cwd = "/work";
const secretUrl = "https://bob:hunter2@example.org/?token=abcdefgh";
/** Every argument that any tool of the table looks at, with secrets where people have them. */
const input = {
  file_path: "/work/src/a.ts",
  notebook_path: "/work/src/a.ipynb",
  path: "/work/src",
  offset: 5,
  limit: 10,
  content: "new text",
  old_string: "old",
  new_string: "new",
  edits: [{ old_string: "old", new_string: "new" }],
  command: `curl ${secretUrl}`,
  description: "Look around",
  bash_id: "b1",
  shell_id: "b1",
  task_id: "b1",
  taskId: "3",
  subject: "Mend it",
  pattern: "x",
  query: "trains",
  url: secretUrl,
  prompt: "What is there?",
  plan: "# Plan",
  questions: [{ question: "Which?" }],
  todos: [{ content: "Look", status: "completed" }],
  skill: "verify",
  server: "docs",
  uri: "docs://a",
};
const names = [
  ...claudeToolNames,
  ...["Read", "Write", "Edit", "Bash", "BashOutput", "KillShell"].map((name) => `mcp__acp__${name}`),
  "mcp__github__create_issue",
  "Invented",
];
const results = [
  { what: "a text", content: "done\n<system-reminder>for the model</system-reminder>" },
  { what: "an error", content: "<tool_use_error>No such file.</tool_use_error>", is_error: true },
  {
    what: "a patch",
    content: [{ type: "text", text: "done" }],
    toolUseResult: {
      filePath: "/work/src/a.ts",
      content: "new text",
      originalFile: "old text",
      structuredPatch: [{ newStart: 7 }],
    },
  },
];

describe.each(results)("a call that ends with $what", ({ content, is_error = false, toolUseResult }) => {
  it.each(names)("of %s", (name) => {
    const call = { type: "assistant", message: { id: "m", content: [{ type: "tool_use", id: "t", name, input }] } };
    const block = { type: "tool_result", tool_use_id: "t", content, is_error };
    const end = { type: "user", message: { role: "user", content: [block] } };
    const seen = live([
      { ...call, parent_tool_use_id: null },
      { ...end, parent_tool_use_id: null, tool_use_result: toolUseResult },
    ]);
    const read = imported([
      { type: "user", message: { role: "user", content: "Go" } },
      call,
      { ...end, ...(toolUseResult !== undefined && { toolUseResult }) },
    ]);
    expect(read).toEqual(seen);
    expect(read.title).not.toMatch(/hunter2|abcdefgh/);
  });
});

function live(messages: readonly object[]): ToolCallFields {
  const client = new KeptUpdates();
  const calls = new SessionToolCalls({ client, sessionId: "s", cwd });
  const translator = new Translator({
    sessionId: "s",
    client,
    calls,
    showsNotices: false,
    onMode: () => {},
    onRead: () => {},
  });
  for (const each of messages) {
    const message = readMessage(each);
    if (message !== null) translator.add(message);
  }
  return merged(client.all);
}

function imported(lines: readonly object[]): ToolCallFields {
  const translator = new ClaudeTranslator({ sessionId: "s", cwd, title: "", startedAt: 0 });
  const entries = lines.flatMap((line) => translator.translate(JSON.parse(JSON.stringify(line))));
  return merged(entries.flatMap((entry) => (entry.type === "update" ? [updateIn(entry.update.raw)] : [])));
}

function updateIn(params: unknown): object {
  return typeof params === "object" && params !== null && "update" in params ? Object(params.update) : {};
}

/** Without the raw output: an import also keeps what Claude Code wrote down for itself. */
function merged(updates: readonly object[]): ToolCallFields {
  const ofCalls = updates.filter((update) => "toolCallId" in update);
  const { rawOutput: _, ...known } = ofCalls.reduce<ToolCallFields>((call, update) => mergeToolCall(call, update), {});
  return JSON.parse(JSON.stringify(known));
}
