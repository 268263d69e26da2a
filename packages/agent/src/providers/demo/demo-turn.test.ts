import { describe, expect, it } from "vitest";
import type { ModelMessage, ModelRequest } from "../model.ts";
import { demoModel } from "./demo-model.ts";
import { demoTurn } from "./demo-turn.ts";

const demo = demoModel({ facts: () => ({}) });

const toolNames = [
  "read",
  "list_directory",
  "find_path",
  "grep",
  "bash",
  "write",
  "edit",
  "fetch",
  "thinking",
  "todo_write",
];
const tools = [...toolNames, "mcp__s__t"].map((name) => ({ name, description: "", inputSchema: {} }));
const request = (messages: readonly ModelMessage[]): ModelRequest => ({
  system: "",
  messages,
  tools,
  maxOutputTokens: 100,
  thinking: "off",
});
const said = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const returned = (name: string, text: string, isError = false): ModelMessage => ({
  role: "tool",
  results: [{ id: "1", name, content: [{ type: "text", text }], isError }],
});

describe("the demo", () => {
  it.each([
    ["read src/a.ts", "read", { path: "src/a.ts" }],
    ["Read src/a.ts:10-20", "read", { path: "src/a.ts", line: 10, limit: 11 }],
    ["list", "list_directory", { path: "." }],
    ["list src", "list_directory", { path: "src" }],
    ["find **/*.ts", "find_path", { pattern: "**/*.ts" }],
    ["grep two words", "grep", { pattern: "two words" }],
    ["run npm test -- --all", "bash", { command: "npm test -- --all" }],
    ["write a.txt: hello: you", "write", { path: "a.txt", content: "hello: you\n" }],
    ["edit a.txt: a -> b", "edit", { path: "a.txt", old_string: "a", new_string: "b" }],
    ["fetch https://example.com", "fetch", { url: "https://example.com" }],
    ["think: hm", "thinking", { thought: "hm" }],
    ['call mcp__s__t {"a": 1}', "mcp__s__t", { a: 1 }],
    [
      "plan: [x] look; [-] do; check",
      "todo_write",
      {
        todos: [
          { content: "look", status: "completed" },
          { content: "do", status: "in_progress" },
          { content: "check", status: "pending" },
        ],
      },
    ],
  ])("understands %s", (prompt, tool, input) => {
    expect(demoTurn(request([said(prompt)])).call).toEqual({ tool, input });
  });

  it("takes several lines as several steps, one after the other", () => {
    const messages = [said("read a\n\nrun ls")];
    expect(demoTurn(request(messages)).call?.tool).toBe("read");
    messages.push(returned("read", "one\ntwo"));
    expect(demoTurn(request(messages))).toMatchObject({ text: "", call: { tool: "bash" } });
    expect(demoTurn(request([...messages, returned("bash", "one\ntwo")]))).toEqual({
      text: "`bash` returned 2 lines.\n\nThat was all: 2 steps.",
    });
    messages.push(returned("bash", "not allowed", true));
    expect(demoTurn(request(messages))).toEqual({
      text: "`bash` failed: not allowed\n\nThat was all: 2 steps.",
    });
  });

  it.each(["Say hello", "read this for me", "Find the bug", "run ls\nand then tell me"])(
    "shows around when it is asked anything else: %s",
    (prompt) => {
      const first = demoTurn(request([said(prompt)]));
      expect(first.text).toMatch(/^I am the \*\*demo\*\*: a script, not a model\..*You wrote:/s);
      expect(first.call).toEqual({ tool: "list_directory", input: { path: "." } });
      const second = demoTurn(request([said(prompt), returned("list_directory", "README.md (5)\nsrc/")]));
      expect(second.call).toEqual({ tool: "read", input: { path: "README.md" } });
      const last = demoTurn(request([said(prompt), returned("list_directory", "src/")]));
      expect(last.text).toContain("reached this page.");
      expect(last).not.toHaveProperty("call");
    },
  );

  it("says when a tool is not there, as in plan mode", () => {
    const turn = demoTurn({ ...request([said("run ls")]), tools: tools.filter(({ name }) => name !== "bash") });
    expect(turn.text).toContain("There is no tool bash here now.");
    expect(turn).not.toHaveProperty("call");
  });

  it("streams words and a call's input like a model, and stops when it is cancelled", async () => {
    const controller = new AbortController();
    const types: string[] = [];
    for await (const event of demo.stream(request([said("read a.ts")]), controller.signal)) types.push(event.type);
    expect([...new Set(types)]).toEqual([
      "reasoning",
      "text",
      "tool_input_start",
      "tool_input_delta",
      "tool_call",
      "finish",
    ]);
    expect(types.filter((type) => type === "text").length).toBeGreaterThan(10);
    controller.abort();
    await expect(async () => {
      for await (const event of demo.stream(request([said("hi")]), controller.signal)) types.push(event.type);
    }).rejects.toMatchObject({ name: "AbortError" });
  });
});
