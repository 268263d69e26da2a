// Each tool of Claude Code in the words of ACP: name, kind, title, places and what can be shown before it runs. Tools that are not in the table
// are described by their name, as everywhere in Signalbox.
import { resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { createToolTitle, diffOf, inferToolKind, locationsOf, textContent } from "@signalbox/tool-calls";
import { type Fields, fieldsOf, listOf, textIn } from "../sdk/json.ts";
import { ownToolName } from "../tools/client-tools.ts";

export interface ToolWords {
  /** Without the prefix of our own server: `Read` whether Claude Code or the client does it. */
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly locations: ToolCallLocation[];
  readonly content: ToolCallContent[];
}

interface Row {
  readonly kind?: ToolKind;
  readonly title?: (input: Fields, cwd: string) => string | null;
  readonly content?: (input: Fields, cwd: string) => ToolCallContent[];
}

const rows: Readonly<Record<string, Row>> = {
  Read: { kind: "read" },
  NotebookRead: { kind: "read", title: (input, cwd) => createToolTitle("read", input, cwd) },
  Write: { kind: "edit", content: ({ file_path, content }, cwd) => diff(cwd, file_path, null, content) },
  Edit: {
    kind: "edit",
    content: ({ file_path, old_string, new_string }, cwd) => diff(cwd, file_path, old_string, new_string),
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
  KillShell: { kind: "execute", title: ({ shell_id }) => about("End", shell_id) },
  TaskOutput: { kind: "read", title: ({ task_id }) => about("Output of", task_id) },
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
  Agent: { kind: "think", title: agentTitle, content: ({ prompt }) => text(prompt) },
  Task: { kind: "think", title: agentTitle, content: ({ prompt }) => text(prompt) },
  EnterPlanMode: { kind: "switch_mode", title: () => "Enter plan mode" },
  ExitPlanMode: { kind: "switch_mode", title: () => "Leave plan mode", content: ({ plan }) => text(plan) },
  AskUserQuestion: { kind: "other", title: ({ questions }) => plain(fieldsOf(listOf(questions)[0]).question) },
  Skill: { kind: "other", title: ({ skill, command }) => about("Skill", skill ?? command) },
  ListMcpResourcesTool: { kind: "read", title: ({ server }) => about("List resources of", server) },
  ReadMcpResourceTool: { kind: "read", title: ({ uri }) => about("Read", uri) },
};

/** `input` is null while the model still writes it. */
export function toolWords(calledName: string, input: Fields | null, cwd: string): ToolWords {
  const name = ownToolName(calledName) ?? calledName;
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  const given = input === null ? {} : meant(name, input);
  return {
    name,
    kind: inferToolKind(name, row?.kind),
    title: (input === null ? null : row?.title?.(given, cwd)) ?? createToolTitle(name, given, cwd),
    locations: locationsOf(given, cwd),
    content: row?.content?.(given, cwd) ?? [],
  };
}

/** Claude's `offset` is the line to begin with; elsewhere an offset is what is skipped. */
function meant(name: string, input: Fields): Fields {
  if (name !== "Read" || typeof input.offset !== "number") return input;
  const { offset, ...rest } = input;
  return { ...rest, line: offset };
}

function agentTitle({ description }: Fields): string | null {
  return plain(description);
}

function about(what: string, whom: unknown): string | null {
  const words = plain(whom);
  return words === null ? null : `${what} ${words}`;
}

/** On one line, bounded, without secrets: as a command would be shown, which is what the library offers for free text. */
function plain(value: unknown): string | null {
  const words = textIn(value);
  if (words === null || words.trim() === "") return null;
  return createToolTitle("run", { command: words }).slice(1, -1).replaceAll("\\`", "`");
}

function text(value: unknown): ToolCallContent[] {
  const words = textIn(value);
  return words === null || words === "" ? [] : [textContent(words)];
}

function diff(cwd: string, path: unknown, before: unknown, after: unknown): ToolCallContent[] {
  if (typeof path !== "string" || typeof after !== "string") return [];
  return [diffOf(resolve(cwd, path), textIn(before), after)];
}
