import { describe, expect, it } from "vitest";
import { describeClaudeTool } from "./claude-tools.ts";

const described = (name: string, input?: Record<string, unknown>) => describeClaudeTool(name, input, "/work");

describe("a call of a tool of Claude Code", () => {
  it.each([
    ["Read", { file_path: "/work/src/a.ts", offset: 51, limit: 100 }, "read", "Read `src/a.ts` (51 - 150)"],
    ["mcp__acp__Read", { file_path: "/work/a.ts" }, "read", "Read `a.ts`"],
    ["Write", { file_path: "/work/a.ts", content: "x" }, "edit", "Write `a.ts`"],
    ["mcp__acp__Edit", { file_path: "/work/a.ts", old_string: "a", new_string: "b" }, "edit", "Edit `a.ts`"],
    ["MultiEdit", { file_path: "/work/a.ts", edits: [] }, "edit", "Edit `a.ts`"],
    ["NotebookEdit", { notebook_path: "/work/a.ipynb", new_source: "x" }, "edit", "Edit `a.ipynb`"],
    ["Bash", { command: "npm test" }, "execute", "`npm test`"],
    ["mcp__acp__Bash", { command: "npm `x`" }, "execute", "`npm \\`x\\``"],
    ["PowerShell", { command: "dir" }, "execute", "`dir`"],
    ["Monitor", { command: "tail -f log" }, "execute", "`tail -f log`"],
    ["mcp__acp__BashOutput", { bash_id: "shell_1" }, "read", "Output of shell_1"],
    ["mcp__acp__KillShell", { shell_id: "shell_1" }, "execute", "End shell_1"],
    ["KillBash", { shell_id: "shell_1" }, "execute", "End shell_1"],
    ["TaskOutput", { task_id: "b1" }, "read", "Output of b1"],
    ["TaskStop", { task_id: "b1" }, "execute", "End b1"],
    ["Glob", { pattern: "*.ts" }, "search", "Find `*.ts`"],
    ["Grep", { pattern: "x" }, "search", 'grep "x"'],
    ["LS", { path: "/work/src" }, "read", "List `src`"],
    ["ToolSearch", { query: "web" }, "search", 'Search "web"'],
    ["WebFetch", { url: "https://example.org/", prompt: "What?" }, "fetch", "Fetch https://example.org/"],
    ["WebSearch", { query: "trains" }, "fetch", 'Search the web for "trains"'],
    ["TodoWrite", { todos: [] }, "think", "Update the plan"],
    ["TaskCreate", { subject: "Mend it", description: "all" }, "think", "Plan Mend it"],
    ["TaskUpdate", { taskId: "3" }, "think", "Update task 3"],
    ["Agent", { description: "Look around", prompt: "Please" }, "think", "Look around"],
    ["Task", { description: "Look around", prompt: "Please" }, "think", "Look around"],
    ["EnterPlanMode", {}, "switch_mode", "Enter plan mode"],
    ["ExitPlanMode", { plan: "# Plan" }, "switch_mode", "Leave plan mode"],
    ["AskUserQuestion", { questions: [{ question: "Which?" }] }, "other", "Which?"],
    ["Skill", { skill: "verify" }, "other", "Skill verify"],
    ["ListMcpResourcesTool", { server: "docs" }, "read", "List resources of docs"],
    ["ReadMcpResourceTool", { server: "docs", uri: "docs://a" }, "read", "Read docs://a"],
    ["mcp__github__create_issue", { title: "x" }, "edit", "github/create_issue"],
    ["Invented", { city: "Oslo" }, "other", 'Invented(city="Oslo")'],
    // Not a property that every object has.
    ["constructor", {}, "other", "constructor"],
  ])("%s %j", (name, input, kind, title) => {
    expect(described(name, input)).toMatchObject({ kind, title });
  });

  it("has the name without the prefix of the client's server, and of no other", () => {
    expect([described("mcp__acp__Read", {}).name, described("mcp__x__Read", {}).name]).toEqual([
      "Read",
      "mcp__x__Read",
    ]);
  });

  it("shows an edit before it happens, with absolute paths", () => {
    expect(described("Edit", { file_path: "a.ts", old_string: "a", new_string: "b" })).toMatchObject({
      content: [{ type: "diff", path: "/work/a.ts", oldText: "a", newText: "b" }],
      locations: [{ path: "/work/a.ts" }],
    });
    expect(described("Write", { file_path: "/work/a.ts", content: "x" }).content).toEqual([
      { type: "diff", path: "/work/a.ts", oldText: null, newText: "x" },
    ]);
    expect(described("Read", { file_path: "a.ts", offset: 7 }).locations).toEqual([{ path: "/work/a.ts", line: 7 }]);
  });

  it("is described when only the name is known, and when the input makes no sense", () => {
    expect(described("Edit")).toMatchObject({ title: "Edit", kind: "edit", content: [], locations: [] });
    for (const name of ["Read", "Edit", "Write", "Bash", "Agent", "AskUserQuestion", "ExitPlanMode", "Grep"]) {
      const odd = {
        file_path: 7,
        old_string: null,
        command: {},
        questions: "x",
        plan: [],
        description: 1,
        pattern: [],
      };
      expect(described(name, odd).title).not.toBe("");
    }
  });

  it("has no secrets and line breaks in its title", () => {
    const secret = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    expect(described("Agent", { description: `use ${secret}\nnow` }).title).not.toMatch(/AAAA|\n/);
  });
});
