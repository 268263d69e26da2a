// Tells on stderr which tools and MCP servers a session has, again whenever that changes: for a person who wants to know why one is missing, and for
// a client that shows it (docs/agents.md).
import type { McpSession } from "../mcp/mcp-session.ts";
import type { Tool } from "../tools/tool.ts";
import { mcpPrompts } from "./mcp-command.ts";

interface PrintedTool {
  readonly tools: readonly Pick<Tool, "name">[];
  readonly mcp: Pick<McpSession, "servers">;
}

export class PrintedTools {
  readonly #write: (line: string) => void;
  readonly #last = new Map<string, string>();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  print({ tools, mcp }: PrintedTool): void {
    this.#printList(
      "allowedTools",
      tools.map(({ name }) => name),
    );
    this.#printList(
      "mcpServers",
      mcp.servers.map((server) => ({
        name: server.name,
        status: server.state,
        starting_since: server.startingSince,
        tools: server.tools,
        tool_names: server.toolNames,
        left_out: server.leftOut,
        problem: server.problem,
        ...mcpPrompts(server),
      })),
    );
  }

  #printList(key: string, list: readonly unknown[]): void {
    const text = JSON.stringify(list);
    if (this.#last.get(key) === text) return;
    this.#last.set(key, text);
    this.#write(`${key}: ${text}\n`);
  }
}
