// Chooses the tools that go through the client, by what it can serve. They replace those of Claude Code; all other tools stay.
import type { ClientFiles } from "@signalbox/agent-kit";
import { bashOutputTool, bashTool, killShellTool, type Shell } from "./bash.ts";
import { editTool } from "./edit.ts";
import type { ToolFiles } from "./files.ts";
import { readTool } from "./read.ts";
import type { SeenFiles } from "./seen-files.ts";
import type { ClientTool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The name of the MCP server in this process. */
export const serverName = "acp";

export interface ClientTools {
  readonly tools: readonly ClientTool[];
  /** As the model calls them: `mcp__acp__Read`. */
  readonly names: readonly string[];
  /** The tools of Claude Code that these stand for. */
  readonly replaced: readonly string[];
  /** A model that calls a tool by its old name means the new one. */
  readonly aliases: Readonly<Record<string, string>>;
}

interface ToolParts {
  readonly client: ClientFiles;
  readonly files: ToolFiles;
  readonly seen: SeenFiles;
  /** Undefined where the client has no terminals. */
  readonly shell: Shell | undefined;
}

/** Other tools of Claude Code that run commands themselves. */
const otherCommandTools = ["PowerShell", "Monitor"];
/** It changes only a file that Claude Code's own Read has read, so beside ours it must fail. A notebook is JSON, which our Edit can change. */
const otherFileTools = ["NotebookEdit"];

export function clientTools({ client, files, seen, shell }: ToolParts): ClientTools {
  // All three or none: a Write and an Edit fail that do not know what another Read has shown, theirs beside ours and ours beside theirs.
  const hasFiles = client.readTextFile !== undefined && client.writeTextFile !== undefined;
  const tools = [
    ...(hasFiles ? [readTool(files, seen), writeTool(files, seen), editTool(files, seen)] : []),
    ...(shell === undefined ? [] : [bashTool(shell), bashOutputTool(shell), killShellTool(shell)]),
  ];
  const own = tools.map(({ name }) => name);
  return {
    tools,
    names: own.map(qualified),
    replaced: [...own, ...(hasFiles ? otherFileTools : []), ...(shell === undefined ? [] : otherCommandTools)],
    aliases: Object.fromEntries(own.map((name) => [name, qualified(name)])),
  };
}

function qualified(name: string): string {
  return `mcp__${serverName}__${name}`;
}

/** `Read` for `mcp__acp__Read`; null for any other tool. */
export function parseClientTool(name: string): string | null {
  const prefix = qualified("");
  return name.startsWith(prefix) ? name.slice(prefix.length) : null;
}
