// Converts a todo list to an ACP plan.
import type { Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus } from "@agentclientprotocol/sdk";
import { parseMcpToolName, readFields } from "@signalbox/rules";
import { textField } from "../describe/arguments.ts";
import { listWords } from "../describe/tool-name.ts";

const statuses: ReadonlyMap<unknown, PlanEntryStatus> = new Map(
  (["pending", "in_progress", "completed"] as const).map((status) => [status, status]),
);
const priorities: ReadonlyMap<unknown, PlanEntryPriority> = new Map(
  (["high", "medium", "low"] as const).map((priority) => [priority, priority]),
);

/** Whether calls of this tool hold a plan: `todo_write`, in any spelling. */
export function isTodoTool(name: string): boolean {
  return listWords(parseMcpToolName(name)?.tool ?? name).join("_") === "todo_write";
}

/** The plan in the arguments of a `todo_write` call (`{ todos: [{ content, status, priority? }] }`), if they hold one. */
export function planFromTodos(args: unknown): Plan | undefined {
  const { todos } = readFields(args);
  return Array.isArray(todos) ? { entries: todos.flatMap(readEntry) } : undefined;
}

function readEntry(todo: unknown): PlanEntry[] {
  const fields = readFields(todo);
  const content = textField(fields, "content");
  const { status, priority } = fields;
  if (content === undefined || typeof status !== "string" || status === "") return [];
  return [{ content, priority: priorities.get(priority) ?? "medium", status: statuses.get(status) ?? "pending" }];
}
