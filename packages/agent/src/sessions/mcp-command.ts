// Carries out `/mcp`: says what became of each MCP server, starts one again, logs the person in to one.
import { randomUUID } from "node:crypto";
import { askElicitation, type Elicitations } from "@signalbox/agent-kit";
import { messageOf, untilAborted } from "@signalbox/tool-calls";
import type { McpServerStatus, McpSession } from "../mcp/mcp-session.ts";

interface McpCommandContext {
  readonly mcp: McpSession;
  readonly sessionId: string;
  readonly elicitations: Elicitations | undefined;
  /** Says something while the command goes on. */
  readonly showMessage: (text: string) => void;
}

/** Runs the command and returns its text for the person. Rejects only when it is cancelled. */
export async function runMcpCommand(context: McpCommandContext, words: string, signal: AbortSignal): Promise<string> {
  const { mcp } = context;
  const [, action = "", name = ""] = /^(\S*)\s*([^]*)$/.exec(words.trim()) ?? [];
  if (mcp.servers.length === 0) return "No MCP server is configured for this session.";
  const run = async (work: Promise<boolean>) => {
    try {
      return (await untilAborted(work, signal)) ? describeStatus(mcp, name) : noSuchServer(mcp, name);
    } catch (error) {
      signal.throwIfAborted();
      return messageOf(error);
    }
  };
  switch (action) {
    case "":
      return mcp.servers.map(statusLine).join("\n");
    case "restart":
      return await run(mcp.restart(name));
    case "login":
      return await run(mcp.logIn(name, (address, ended) => showAddress(context, name, address, ended), signal));
    case "logout":
      return await run(mcp.logOut(name));
    default:
      return "`/mcp` shows the servers, `/mcp restart NAME` starts one again, `/mcp login NAME` and `/mcp logout NAME` are for those that want a log-in.";
  }
}

/** The prompts that do what a person can do for this server; those that make no sense now are null. */
export function mcpPrompts({ name, wantsLogIn }: Pick<McpServerStatus, "name" | "wantsLogIn">) {
  return { restart: `/mcp restart ${name}`, log_in: wantsLogIn ? `/mcp login ${name}` : null };
}

/** As a page to open where the client has those, else as a message. `ended` aborts when the log-in is over. */
async function showAddress(
  { elicitations, sessionId, showMessage }: McpCommandContext,
  name: string,
  url: string,
  ended: AbortSignal,
): Promise<void> {
  if (elicitations?.url !== true) {
    showMessage(`Open this address in a browser on this machine to log in to ${name}:\n\n${url}`);
    return;
  }
  const elicitationId = `mcp-login-${randomUUID()}`;
  const message = `Log in to the MCP server ${name}`;
  ended.addEventListener("abort", () => elicitations.complete?.(elicitationId), { once: true });
  const { type } = await askElicitation(elicitations, { mode: "url", sessionId, message, url, elicitationId }, ended);
  if (type !== "accept" && !ended.aborted) throw new Error("You did not log in.");
}

function describeStatus({ servers }: McpSession, name: string): string {
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
      return `- **${name}** has been starting for ${countSeconds(server.startingSince)} s.${last}`;
    case "failed":
      return `- **${name}** does not run: ${problem}`;
    case "closed":
      return `- **${name}** is closed.`;
    case "running":
      return `- **${name}** runs: ${parts(server).join(", ")}.${toolNames.length === 0 ? "" : ` ${toolNames.join(", ")}.`}${last}`;
  }
}

function countSeconds(time: number | undefined): number {
  return time === undefined ? 0 : Math.round((Date.now() - time) / 1000);
}

function parts({ tools, leftOut, prompts, hasResources, isLoggedIn }: McpServerStatus): readonly string[] {
  return [
    tools === 1 ? "1 tool" : `${tools} tools`,
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out by the config (${leftOut.join(", ")})`]),
    ...(prompts === 0 ? [] : [prompts === 1 ? "1 prompt" : `${prompts} prompts`]),
    ...(hasResources ? ["resources"] : []),
    ...(isLoggedIn ? ["logged in"] : []),
  ];
}
