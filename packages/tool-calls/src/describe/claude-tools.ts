// Describes calls of Claude Code's tools: kind, title, locations, and what can be shown before the tool runs. Live calls and imported ones
// use this table. A tool that is not in it is described by its name, like any other tool.

import { resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { type Fields, readFields } from "@signalbox/rules";
import { diffContent, textContent } from "../content/content.ts";
import { inferToolKind } from "./kind.ts";
import { findLocations } from "./locations.ts";
import { createToolTitle } from "./title.ts";
import { titleText } from "./title-text.ts";

export interface ToolDescription {
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly locations: ToolCallLocation[];
  readonly content: ToolCallContent[];
}

interface Row {
  readonly kind: ToolKind;
  /** Without it, or when it gives undefined, the name and the arguments make the title. */
  readonly title?: (input: Fields, cwd: string) => string | undefined;
  readonly content?: (input: Fields, cwd: string) => ToolCallContent[];
}

const rows: Readonly<Record<string, Row>> = {
  Read: { kind: "read" },
  NotebookRead: { kind: "read", title: (input, cwd) => createToolTitle("read", input, cwd) },
  Write: { kind: "edit", content: ({ file_path, content }, cwd) => diff(cwd, file_path, null, content) },
  Edit: { kind: "edit", content: ({ file_path, ...edit }, cwd) => editDiff(cwd, file_path, edit) },
  MultiEdit: {
    kind: "edit",
    title: (input, cwd) => createToolTitle("edit", input, cwd),
    content: ({ file_path, edits }, cwd) =>
      readList(edits).flatMap((edit) => editDiff(cwd, file_path, readFields(edit))),
  },
  NotebookEdit: { kind: "edit", title: (input, cwd) => createToolTitle("edit", input, cwd) },
  Bash: { kind: "execute", content: ({ description }) => text(description) },
  PowerShell: { kind: "execute", content: ({ description }) => text(description) },
  Monitor: {
    kind: "execute",
    title: (input, cwd) => createToolTitle("bash", input, cwd),
    content: ({ description }) => text(description),
  },
  BashOutput: { kind: "read", title: ({ bash_id }) => about("Output of", bash_id) },
  TaskOutput: { kind: "read", title: ({ task_id }) => about("Output of", task_id) },
  KillShell: { kind: "execute", title: ({ shell_id }) => about("End", shell_id) },
  KillBash: { kind: "execute", title: ({ shell_id }) => about("End", shell_id) },
  TaskStop: { kind: "execute", title: ({ task_id, shell_id }) => about("End", task_id ?? shell_id) },
  Glob: { kind: "search" },
  Grep: { kind: "search" },
  LS: { kind: "read", title: (input, cwd) => createToolTitle("list", input, cwd) },
  LSP: { kind: "search" },
  ToolSearch: { kind: "search", title: ({ query }) => createToolTitle("search", { query }) },
  WebFetch: { kind: "fetch", content: ({ prompt }) => text(prompt) },
  WebSearch: { kind: "fetch" },
  TodoWrite: { kind: "think" },
  TaskCreate: { kind: "think", title: ({ subject }) => about("Plan", subject) },
  TaskUpdate: { kind: "think", title: ({ taskId }) => about("Update task", taskId) },
  TaskGet: { kind: "think", title: ({ taskId }) => about("Look at task", taskId) },
  TaskList: { kind: "think", title: () => "Look at the tasks" },
  Agent: { kind: "think", title: ({ description }) => about("", description), content: ({ prompt }) => text(prompt) },
  Task: { kind: "think", title: ({ description }) => about("", description), content: ({ prompt }) => text(prompt) },
  EnterPlanMode: { kind: "switch_mode", title: () => "Enter plan mode" },
  ExitPlanMode: { kind: "switch_mode", title: () => "Leave plan mode", content: ({ plan }) => text(plan) },
  AskUserQuestion: { kind: "other", title: ({ questions }) => about("", readFields(readList(questions)[0]).question) },
  Skill: { kind: "other", title: ({ skill, command }) => about("Skill", skill ?? command) },
  ListMcpResourcesTool: { kind: "read", title: ({ server }) => about("List resources of", server) },
  ReadMcpResourceTool: { kind: "read", title: ({ uri }) => about("Read", uri) },
};

/** The tools that the table has. */
export const claudeToolNames: readonly string[] = Object.keys(rows);

/** The MCP server under which ACP adapters give Claude the client's files and terminals. */
const clientServerPrefix = "mcp__acp__";

/** `Read` for `mcp__acp__Read`: the same tool, carried out by the client. Any other name stays as it is. */
export function claudeToolName(calledName: string): string {
  return calledName.startsWith(clientServerPrefix) ? calledName.slice(clientServerPrefix.length) : calledName;
}

/** Describes a call. `input` is undefined while the model still writes it. Never throws, whatever the input is. */
export function describeClaudeTool(calledName: string, input: unknown, cwd: string): ToolDescription {
  const name = claudeToolName(calledName);
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  const fields = withFirstLine(name, readFields(input));
  return {
    name,
    kind: inferToolKind(name, row?.kind),
    title: (input === undefined ? undefined : row?.title?.(fields, cwd)) ?? createToolTitle(name, fields, cwd),
    locations: findLocations(fields, cwd),
    content: row?.content?.(fields, cwd) ?? [],
  };
}

/** Claude's `offset` is the line to begin with; elsewhere an offset is the number of lines that are skipped. */
function withFirstLine(name: string, input: Fields): Fields {
  if (name !== "Read" || typeof input.offset !== "number") return input;
  const { offset, ...rest } = input;
  return { ...rest, line: offset };
}

const maxTitleText = 60;

/** The words and the value on one line, without secrets; undefined when there is no value. */
function about(words: string, value: unknown): string | undefined {
  const line = typeof value === "string" ? titleText(value, maxTitleText) : "";
  return line === "" ? undefined : `${words} ${line}`.trimStart();
}

function text(value: unknown): ToolCallContent[] {
  return typeof value === "string" && value !== "" ? [textContent(value)] : [];
}

function editDiff(cwd: string, path: unknown, { old_string, new_string }: Fields): ToolCallContent[] {
  return diff(cwd, path, old_string, new_string);
}

function diff(cwd: string, path: unknown, before: unknown, after: unknown): ToolCallContent[] {
  if (typeof path !== "string" || typeof after !== "string") return [];
  return [diffContent(resolve(cwd, path), typeof before === "string" ? before : null, after)];
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
