// Converts slash commands of Claude Code to ACP commands. Prompts of MCP servers have a space in their name there, and get a name without one:
// a client sends a command as one word.
import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { readFields, readText } from "../sdk/json.ts";

/** Commands that only make sense on Claude Code's own screen. `clear` goes on under another id, which the client would not know: it starts a new session. */
const unusable: ReadonlySet<string> = new Set(["login", "logout", "clear"]);

const mcpPrompt = / \(MCP\)$/;

export function availableCommands(commands: readonly unknown[]): AvailableCommand[] {
  return commands.flatMap((value) => {
    const { name, description, argumentHint } = readFields(value);
    if (typeof name !== "string" || unusable.has(name)) return [];
    const hint = readText(argumentHint) ?? "";
    return [
      {
        name: mcpPrompt.test(name) ? `mcp:${name.replace(mcpPrompt, "")}` : name,
        description: readText(description) ?? "",
        ...(hint !== "" && { input: { hint } }),
      },
    ];
  });
}

/** The prompt as Claude Code wants it: `/mcp:server:prompt` back to its own name. */
export function asClaudeCommand(prompt: string): string {
  return prompt.replace(/^\/mcp:(\S+)/, "/$1 (MCP)");
}
