import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bashTool } from "../tools/bash/bash.ts";
import { bashKillTool } from "../tools/bash/bash-kill.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import { editTool } from "../tools/edit/edit.ts";
import { unknownNamesNote } from "../tools/other-names.ts";
import { applyPatchTool } from "../tools/patch/apply-patch.ts";
import { readTool } from "../tools/read.ts";
import { grepTool } from "../tools/search/grep.ts";
import { taskTool } from "../tools/task.ts";
import type { Tool } from "../tools/tool.ts";
import { writeTool } from "../tools/write.ts";
import { findTool } from "./find-tool.ts";
import { parseInput } from "./parse-input.ts";

const schema = z.object({
  path: z.string(),
  line: z.int().optional(),
  background: z.boolean().optional(),
  edits: z.array(z.object({ old: z.string(), count: z.number().optional() })).optional(),
});

describe("the input of a tool", () => {
  it.each([
    [
      { path: "a", line: "10" },
      { path: "a", line: 10 },
    ],
    [
      { path: "a", background: "true" },
      { path: "a", background: true },
    ],
    [
      { path: "a", background: "False" },
      { path: "a", background: false },
    ],
    [
      { path: "a", edits: '[{"old":"x"}]' },
      { path: "a", edits: [{ old: "x" }] },
    ],
    [
      { path: "a", edits: [{ old: "x", count: "2" }] },
      { path: "a", edits: [{ old: "x", count: 2 }] },
    ],
    [JSON.stringify({ path: "a" }), { path: "a" }],
  ])("takes %j as what is meant, for the tool and for the decision", (sent, meant) => {
    expect(parseInput({ input: schema }, sent)).toEqual({ success: true, data: meant, input: meant, unknown: [] });
  });

  it.each([
    [{ path: 5 }],
    [{ path: "a", line: "ten" }],
    [{ path: "a", line: "1.5" }],
    [{ path: "a", edits: "no" }],
    [null],
  ])("refuses %j, with what is wrong as it was sent", (sent) =>
    expect(parseInput({ input: schema }, sent)).toEqual({ success: false, error: schema.safeParse(sent).error }),
  );

  it("leaves text alone that looks like a number", () => {
    expect(parseInput({ input: schema }, { path: "10" })).toMatchObject({ data: { path: "10" } });
  });
});

describe("the names of other agents", () => {
  const change = { old_string: "a", new_string: "b" };
  const rows: readonly [Pick<Tool, "input" | "otherNames" | "acceptForm">, object, object, (readonly string[])?][] = [
    [bashTool, { cmd: "ls", description: "Lists", workdir: "src" }, { command: "ls", cwd: "src" }],
    [bashTool, { command: "ls", timeout: 120_000 }, { command: "ls", timeout_s: 120 }],
    [bashTool, { command: "ls", timeout: "30" }, { command: "ls", timeout_s: 30 }],
    [bashTool, { command: "ls", timeout_ms: 5000 }, { command: "ls", timeout_s: 5 }],
    [bashTool, { command: "ls", timeout: 900 }, { command: "ls" }, ["timeout"]],
    [bashTool, { command: "ls", run_in_background: "true" }, { command: "ls", background: true }],
    [bashTool, { command: "ls", dry_run: true }, { command: "ls" }, ["dry_run"]],
    [bashTool, { command: "ls", cmd: "rm" }, { command: "ls" }, ["cmd"]],
    [bashTool, { command: "ls", cwd: null, timeout: null, background: null }, { command: "ls" }],
    [bashKillTool, { shell_id: "job_1" }, { job: "job_1" }],
    [readTool, { file_path: "a", offset: 0, limit: 5 }, { path: "a", line: 1, limit: 5 }],
    [readTool, { filePath: "a", start_line: 3, end_line: 4 }, { path: "a", line: 3, limit: 2 }],
    [readTool, { path: "a", startLine: 3, endLine: 4 }, { path: "a", line: 3, limit: 2 }],
    [writeTool, { file: "a", file_text: "x" }, { path: "a", content: "x" }],
    [editTool, { filePath: "a", oldString: "a", newString: "b" }, { path: "a", edits: [change] }],
    [
      editTool,
      { path: "a", old_str: "a", new_str: "b", replaceAll: true },
      { path: "a", edits: [{ ...change, replace_all: true }] },
    ],
    [editTool, { path: "a", old_string: "", new_string: "", edits: [change] }, { path: "a", edits: [change] }],
    [editTool, { path: "a", ...change, edits: [] }, { path: "a", edits: [change] }],
    [editTool, { path: "a", ...change, edits: [change] }, { path: "a", edits: [change, change] }],
    [bashTool, { command: ["bash", "-lc", "ls | wc"] }, { command: "ls | wc" }],
    [bashTool, { command: ["echo", "it's", "a b"] }, { command: "echo 'it'\\''s' 'a b'" }],
    [editTool, { path: "a", edits: [{ oldText: "a", newText: "b" }] }, { path: "a", edits: [change] }],
    [editTool, { path: "a", edits: '[{"oldText":"a","newText":"b"}]' }, { path: "a", edits: [change] }],
    [grepTool, { pattern: "x", include: "*.ts", "-i": true }, { pattern: "x", glob: "*.ts", ignore_case: true }],
    [grepTool, { pattern: "x", output_mode: "files_with_matches" }, { pattern: "x", files_only: true }],
    [grepTool, { pattern: "x", output_mode: "count" }, { pattern: "x" }, ["output_mode"]],
    [applyPatchTool, { patchText: "*** Begin" }, { input: "*** Begin" }],
    [taskTool, { description: "Look", prompt: "Look at it" }, { title: "Look", prompt: "Look at it" }],
  ];

  it.each(rows)("are taken where they are sure: %#", (tool, sent, meant, unknown = []) => {
    const parsed = parseInput<unknown>(tool, sent);
    expect(parsed).toMatchObject({ success: true, data: meant, input: meant, unknown });
    expect(parsed.success && parsed.data).toEqual(meant);
  });

  it("that mean nothing are told to the model", () => {
    expect(unknownNamesNote("bash", bashTool.input, ["timeout"])).toBe(
      "Note: bash has no parameter timeout, so it was left out. It has: command, cwd, network, timeout_s, escalate, background.",
    );
    expect(unknownNamesNote("bash", bashTool.input, [])).toBe("");
  });
});

describe("the names that other agents have for tools", () => {
  const tools = builtInTools();
  it.each([
    ["functions.bash", "bash"],
    ["default_api:read", "read"],
    ["Bash", "bash"],
    ["shell", "bash"],
    ["terminal", "bash"],
    ["glob", "find_path"],
    ["ls", "list_directory"],
    ["str_replace", "edit"],
    ["MultiEdit", "edit"],
    ["edit_file", "edit"],
    ["read_file", "read"],
    ["write_file", "write"],
    ["functions.apply_patch", "apply_patch"],
  ])("%s is %s", (name, ours) => expect(findTool(tools, name)?.name).toBe(ours));

  it("belong to a tool that has the name itself", () => {
    const shell = { ...bashTool, name: "shell" } as Tool;
    expect(findTool([...tools, shell], "shell")).toBe(shell);
  });
});
