// Holds all MCP servers of a session: their tools and prompts under unique names, and the status of each server.

import type { McpServerConfig } from "@signalbox/agent-kit";
import { argumentHint, promptArguments, promptCommand } from "./listed-prompt.ts";
import type { LogInOptions } from "./log-in/log-in.ts";
import { ManagedServer } from "./managed-server.ts";
import type { McpOptions, McpPrompt, McpServerStatus, McpTool } from "./mcp-session.ts";
import { readMentions } from "./mentions.ts";
import { type Caller, ServerQuestions } from "./server-questions.ts";
import { modelContent } from "./server-result.ts";
import { serverTools } from "./server-tools.ts";

const defaultStartTimeoutMs = 30_000;

export class ServerSet {
  readonly #servers: readonly ManagedServer[];
  readonly #onChanged: () => void;
  #tools: readonly McpTool[] = [];
  #prompts: readonly McpPrompt[] = [];

  constructor(options: McpOptions) {
    this.#onChanged = options.onChanged;
    this.#servers = usableServers(options).map(
      (config) =>
        new ManagedServer(config, {
          workspace: options.workspace,
          version: options.version,
          network: config.origin !== "project" || options.projectNetwork,
          startTimeoutMs: options.startTimeoutMs ?? defaultStartTimeoutMs,
          questions: new ServerQuestions({
            server: config.name,
            sessionId: options.sessionId,
            elicitations: options.elicitations,
          }),
          logins: options.logins,
          onChanged: () => this.#collect(),
          onNotice: options.onNotice,
        }),
    );
  }

  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  get prompts(): readonly McpPrompt[] {
    return this.#prompts;
  }

  get statuses(): readonly McpServerStatus[] {
    return this.#servers.map((server) => {
      const { config, status, tools, prompts, hasResources, lastProblem } = server;
      const toolNames = tools.map(({ name }) => name);
      const all = status.type === "running" ? status.tools : [];
      return {
        name: config.name,
        state: status.type,
        startingSince: status.type === "starting" ? status.since : undefined,
        tools: tools.length,
        toolNames,
        leftOut: all.map(({ name }) => name).filter((name) => !toolNames.includes(name)),
        prompts: prompts.length,
        hasResources,
        problem: status.type === "failed" ? status.problem : undefined,
        wantsLogIn: status.type === "failed" && status.wantsLogIn,
        lastProblem,
        isLoggedIn: server.isLoggedIn,
        instructions: status.type === "running" ? status.connection.instructions : undefined,
      };
    });
  }

  async started(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.started()));
  }

  /** False where there is no such server. Resolves when it has answered or failed. */
  async restart(name: string): Promise<boolean> {
    const server = this.#servers.find(({ config }) => config.name === name);
    await server?.restart();
    return server !== undefined;
  }

  /** False where there is no such server. Throws an error whose message says why there is no log-in. */
  async logIn(name: string, show: LogInOptions["show"], signal: AbortSignal): Promise<boolean> {
    const server = this.#servers.find(({ config }) => config.name === name);
    await server?.logIn(show, signal);
    return server !== undefined;
  }

  async logOut(name: string): Promise<boolean> {
    const server = this.#servers.find(({ config }) => config.name === name);
    await server?.logOut();
    return server !== undefined;
  }

  readMentions(text: string, caller: Caller): ReturnType<typeof readMentions> {
    return readMentions(text, this.#servers, caller);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #collect(): void {
    this.#tools = serverTools(this.#servers);
    this.#prompts = this.#servers.flatMap(listPrompts);
    this.#onChanged();
  }
}

function listPrompts(server: ManagedServer): readonly McpPrompt[] {
  return server.prompts.map((listed) => ({
    command: promptCommand(server.config.name, listed.name),
    description: listed.description,
    hint: argumentHint(listed),
    async read(text, caller) {
      const args = promptArguments(listed, text);
      if (typeof args === "string") return args;
      const { messages } = await server.getPrompt(listed.name, args, caller);
      return messages.flatMap(({ role, content }) =>
        role === "user" ? [modelContent(content)] : [{ type: "text", text: "You answered:" }, modelContent(content)],
      );
    },
  }));
}

/** The first of each name. A project's server at a URL is left out where projects have no network. */
function usableServers({ servers, projectNetwork, onNotice }: McpOptions): readonly McpServerConfig[] {
  const names = new Set<string>();
  return servers.filter((server) => {
    if (names.has(server.name)) {
      onNotice(
        `There are two MCP servers with the name ${server.name}; the second one (of the ${server.origin}) is not used.`,
      );
      return false;
    }
    names.add(server.name);
    if (server.type !== "stdio" && server.origin === "project" && !projectNetwork) {
      onNotice(
        `The MCP server ${server.name} is at ${new URL(server.url).host}, and the project that names it may not use the network. Name it in your own config, or set sandbox.network there.`,
      );
      return false;
    }
    return true;
  });
}
