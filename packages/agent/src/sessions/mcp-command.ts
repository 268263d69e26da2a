// Carries out `/mcp`: says what became of each MCP server, and starts one again.
import { untilAborted } from "@signalbox/tool-calls";
import type { McpServerStatus, McpSession } from "../mcp/mcp-session.ts";

/** What the person reads. Rejects only when it is cancelled. */
export async function runMcpCommand(mcp: McpSession, words: string, signal: AbortSignal): Promise<string> {
  const [, action = "", name = ""] = /^(\S*)\s*([^]*)$/.exec(words.trim()) ?? [];
  if (mcp.servers.length === 0) return "No MCP server is configured for this session.";
  switch (action) {
    case "":
      return mcp.servers.map(statusLine).join("\n");
    case "restart": {
      if (!(await untilAborted(mcp.restart(name), signal))) return noSuchServer(mcp, name);
      return statusOf(mcp, name);
    }
    default:
      return "`/mcp` shows the servers, `/mcp restart NAME` starts one again.";
  }
}

function statusOf({ servers }: McpSession, name: string): string {
  return servers
    .filter((server) => server.name === name)
    .map(statusLine)
    .join("\n");
}

function noSuchServer({ servers }: McpSession, name: string): string {
  const known = servers.map((server) => server.name).join(", ");
  return name === "" ? `Which one? There are: ${known}.` : `There is no MCP server ${name}. There are: ${known}.`;
}

function statusLine(server: McpServerStatus): string {
  const { name, state, problem, lastProblem, toolNames } = server;
  const last = lastProblem === undefined || lastProblem === problem ? "" : ` Last error: ${lastProblem}`;
  switch (state) {
    case "starting":
      return `- **${name}** has been starting for ${Math.round((server.startingMs ?? 0) / 1000)} s.${last}`;
    case "failed":
      return `- **${name}** does not run: ${problem}`;
    case "closed":
      return `- **${name}** is closed.`;
    case "running":
      return `- **${name}** runs: ${parts(server).join(", ")}.${toolNames.length === 0 ? "" : ` ${toolNames.join(", ")}.`}${last}`;
  }
}

function parts({ tools, leftOut, prompts, hasResources }: McpServerStatus): readonly string[] {
  return [
    tools === 1 ? "1 tool" : `${tools} tools`,
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out by the config (${leftOut.join(", ")})`]),
    ...(prompts === 0 ? [] : [prompts === 1 ? "1 prompt" : `${prompts} prompts`]),
    ...(hasResources ? ["resources"] : []),
  ];
}
