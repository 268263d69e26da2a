// What Claude Code's tools are in ACP's words: kind, title, places, and the change an edit makes.
import type { JsonObject, PlanEntry, ToolCallContent, ToolCallLocation, ToolKind } from "@signalbox/protocol";
import { numberOf, objectsOf, textOf } from "../json-fields.ts";
import { addressTitle, commandTitle, cut, pathTitle } from "../titles.ts";

export interface DescribedTool {
  readonly kind: ToolKind;
  readonly title: string;
  readonly locations: readonly ToolCallLocation[];
  readonly content: readonly ToolCallContent[];
}

export function describeClaudeTool(name: string, input: JsonObject, cwd: string): DescribedTool {
  const path = textOf(input, "file_path") ?? textOf(input, "notebook_path") ?? textOf(input, "path") ?? "";
  const locations = path === "" ? [] : [{ path }];
  const plain = (kind: ToolKind, title: string) => ({ kind, title, locations, content: [] });
  switch (name) {
    case "Read": {
      const first = Math.max(1, numberOf(input, "offset"));
      const limit = numberOf(input, "limit");
      const lines = limit > 0 ? ` (${first} - ${first + limit - 1})` : "";
      return {
        kind: "read",
        title: pathTitle("Read", path, cwd, lines),
        locations: [{ path, line: first }],
        content: [],
      };
    }
    case "Write": {
      const newText = textOf(input, "content") ?? "";
      const content = [{ type: "diff", path, oldText: null, newText }] as const;
      return { kind: "edit", title: pathTitle("Write", path, cwd), locations, content };
    }
    case "Edit":
      return { kind: "edit", title: pathTitle("Edit", path, cwd), locations, content: [diffOf(path, input)] };
    case "MultiEdit": {
      const content = objectsOf(input["edits"]).map((edit) => diffOf(path, edit));
      return { kind: "edit", title: pathTitle("Edit", path, cwd), locations, content };
    }
    case "NotebookEdit":
      return plain("edit", pathTitle("Edit", path, cwd));
    case "Bash":
      return plain("execute", commandTitle(textOf(input, "command") ?? ""));
    case "BashOutput":
    case "TaskOutput":
      return plain("execute", "Output of a command in the background");
    case "KillShell":
    case "KillBash":
    case "TaskStop":
      return plain("execute", "Stop a command in the background");
    case "Glob":
      return plain("search", `Find \`${textOf(input, "pattern") ?? ""}\``);
    case "Grep":
      return plain("search", `grep "${cut(textOf(input, "pattern") ?? "", 60)}"`);
    case "LS":
      return plain("read", pathTitle("List", path, cwd));
    case "WebFetch":
      return plain("fetch", addressTitle(textOf(input, "url") ?? ""));
    case "WebSearch":
      return plain("fetch", `Search "${cut(textOf(input, "query") ?? "", 60)}"`);
    case "Task":
    case "Agent":
      return plain("think", cut(textOf(input, "description") ?? "Task", 60));
    case "TodoWrite":
      return plain("think", "Update the plan");
    case "EnterPlanMode":
    case "ExitPlanMode":
      return plain("switch_mode", name === "ExitPlanMode" ? "Leave plan mode" : "Enter plan mode");
    default:
      return plain("other", name.startsWith("mcp__") ? name.slice("mcp__".length).replace("__", "/") : name);
  }
}

/** The list that TodoWrite wrote; null for other tools. */
export function claudePlan(name: string, input: JsonObject): readonly PlanEntry[] | null {
  if (name !== "TodoWrite") return null;
  return objectsOf(input["todos"]).map((todo) => ({
    content: textOf(todo, "content") ?? "",
    priority: textOf(todo, "priority") ?? "medium",
    status: textOf(todo, "status") ?? "pending",
  }));
}

function diffOf(path: string, edit: JsonObject): ToolCallContent {
  return { type: "diff", path, oldText: textOf(edit, "old_string") ?? "", newText: textOf(edit, "new_string") ?? "" };
}
