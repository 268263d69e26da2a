import { describe, expect, it } from "vitest";
import { inferToolKind } from "./kind.ts";

const mustHold = {
  read: ["read_file", "list_directory", "get_data", "view_file", "READ_FILE", "readFile"],
  edit: ["write_file", "edit_file", "create_file", "update_record"],
  delete: ["delete_user", "Delete_Item", "remove_item"],
  move: ["move_file", "copy_document"],
  search: ["grep", "grep_code", "find_path", "search_documents", "locate_symbol", "find_user"],
  execute: ["terminal", "bash", "run_shell", "run_script", "EXECUTE_CMD", "bash_exec", "execute_command"],
  think: ["thinking", "think_about", "plan_next_step", "todo_write"],
  fetch: ["fetch", "fetch_url", "fetch_record", "http_request", "web_search", "curl_endpoint", "api_call"],
  other: ["custom_tool", "process_data", "progress_task", "thread_summary", "spreadsheet_tool"],
} as const;

describe("inferToolKind", () => {
  for (const [kind, names] of Object.entries(mustHold)) {
    it.each(names)(`%s is ${kind}`, (name) => {
      expect(inferToolKind(name)).toBe(kind);
    });
  }

  it.each([
    ["web-search", "fetch"],
    ["WebSearch", "fetch"],
    ["TodoWrite", "think"],
    ["HTTPRequest", "fetch"],
    ["fs.readTextFile", "read"],
    ["files/remove", "delete"],
    ["git:rename branch", "move"],
    ["bash2", "other"],
    ["", "other"],
    ["constructor", "other"],
    ["__proto__", "other"],
  ])("%s is %s: whole words, however they are joined", (name, kind) => {
    expect(inferToolKind(name)).toBe(kind);
  });

  it("believes a tool's own declaration before its name", () => {
    expect(inferToolKind("read_file", "execute")).toBe("execute");
    expect(inferToolKind("web_search", "search")).toBe("search");
  });

  it("ignores a declaration that ACP does not know", () => {
    expect(inferToolKind("read_file", "dangerous" as "read")).toBe("read");
  });

  it("looks at the tool of an MCP name and not at its server", () => {
    expect(inferToolKind("mcp__api__delete_user")).toBe("delete");
    expect(inferToolKind("mcp__fetch__web_search")).toBe("fetch");
    expect(inferToolKind("mcp__read__summary")).toBe("other");
  });
});
