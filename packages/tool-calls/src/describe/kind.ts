// Infers the ACP kind of a tool: what it declares, else what the words of its name say.
import type { ToolKind } from "@agentclientprotocol/sdk";
import { parseMcpToolName } from "@signalbox/rules";
import { listWords } from "./tool-name.ts";

/** All kinds that ACP has. */
export const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const satisfies readonly ToolKind[];

const kinds: ReadonlySet<string> = new Set(toolKinds);

/** Two names that every agent knows and whose words would mislead. */
const knownNames: ReadonlyMap<string, ToolKind> = new Map([
  ["web_search", "fetch"],
  ["todo_write", "think"],
]);

/** Tried in this order: `fetch_record` fetches, although a record is also read. */
const wordsByKind: readonly (readonly [ToolKind, ReadonlySet<string>])[] = [
  ["fetch", new Set(["fetch", "http", "url", "curl", "download", "api"])],
  ["read", new Set(["read", "get", "view", "cat", "open", "list", "load", "show"])],
  ["edit", new Set(["edit", "write", "update", "modify", "patch", "create", "insert", "replace", "save"])],
  ["delete", new Set(["delete", "remove", "unlink", "drop"])],
  ["move", new Set(["move", "rename", "copy"])],
  ["search", new Set(["search", "grep", "find", "glob", "locate", "query"])],
  ["execute", new Set(["execute", "exec", "run", "bash", "shell", "terminal", "command", "cmd", "script"])],
  ["think", new Set(["think", "thinking", "thought", "plan", "reason", "todo"])],
];

/**
 * The kind of a tool. A declared kind always wins. Of an MCP name only the tool's own part counts: what a server is called says
 * nothing about what this tool does.
 */
export function inferToolKind(name: string, declared?: ToolKind): ToolKind {
  if (declared !== undefined && kinds.has(declared)) return declared;
  return kindOfName(listWords(parseMcpToolName(name)?.tool ?? name));
}

/** The kind that the words of a name stand for. */
export function kindOfName(words: readonly string[]): ToolKind {
  const known = knownNames.get(words.join("_"));
  if (known !== undefined) return known;
  for (const [kind, kindWords] of wordsByKind) {
    if (words.some((word) => kindWords.has(word))) return kind;
  }
  return "other";
}
