// Manages one MCP server of a session: starts it, restarts it once if it dies or by hand, and closes it with the session.
import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";
import type { HttpServerConfig, McpServerConfig } from "@signalbox/agent-kit";
import { isUsedTool, ToolFailure, unknownNames } from "@signalbox/agent-kit";
import { messageOf } from "@signalbox/tool-calls";
import { canLogIn } from "./http-transport.ts";
import type { ListedPrompt } from "./listed-prompt.ts";
import type { ListedTool } from "./listed-tool.ts";
import type { LogInOptions } from "./log-in/log-in.ts";
import { loginId } from "./log-in/server-login.ts";
import type { ListedResource } from "./resources.ts";
import { type ConnectionOptions, ServerConnection } from "./server-connection.ts";
import type { Caller } from "./server-questions.ts";
import { isUnknownSession, requiresLogin } from "./start-problem.ts";

type State =
  | { readonly type: "starting"; readonly since: number }
  | {
      readonly type: "running";
      readonly connection: ServerConnection;
      /** All of them, also those that the filter leaves out. */
      readonly tools: readonly ListedTool[];
      readonly prompts: readonly ListedPrompt[];
    }
  | { readonly type: "failed"; readonly problem: string; readonly wantsLogIn: boolean }
  | { readonly type: "closed" };

interface ManagedServerOptions
  extends Pick<ConnectionOptions, "workspace" | "version" | "network" | "startTimeoutMs" | "questions" | "logins"> {
  /** Called when its state, its tools or its prompts have changed. */
  readonly onChanged: () => void;
  readonly onNotice: (notice: string) => void;
}

export class ManagedServer {
  readonly config: McpServerConfig;
  readonly #options: ManagedServerOptions;
  #state: State = { type: "starting", since: Date.now() };
  /** The current start, or the last one. Never rejects. */
  #start: Promise<void>;
  #restarted = false;
  /** Stops the current start. */
  #stop = new AbortController();
  /** The last failure, kept after the server runs again. */
  #lastProblem: string | undefined;

  constructor(config: McpServerConfig, options: ManagedServerOptions) {
    this.config = config;
    this.#options = options;
    this.#start = this.#open("did not start");
  }

  get status(): State {
    return this.#state;
  }

  get lastProblem(): string | undefined {
    return this.#lastProblem;
  }

  /** Those that the filter lets through. */
  get tools(): readonly ListedTool[] {
    return this.#state.type === "running"
      ? this.#state.tools.filter(({ name }) => isUsedTool(this.config.filter, name))
      : [];
  }

  get prompts(): readonly ListedPrompt[] {
    return this.#state.type === "running" ? this.#state.prompts : [];
  }

  get hasResources(): boolean {
    return this.#state.type === "running" && this.#state.connection.can("resources");
  }

  started(): Promise<void> {
    return this.#start;
  }

  async call(tool: string, args: Record<string, unknown>, caller: Caller): Promise<CallToolResult> {
    return await this.#request((connection) => connection.call(tool, args, caller));
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, caller: Caller): Promise<GetPromptResult> {
    return await this.#request((connection) => connection.getPrompt(name, args, caller));
  }

  async resources(): Promise<readonly ListedResource[]> {
    return await this.#request((connection) => connection.resources());
  }

  async readResource(uri: string, caller: Caller): Promise<ReadResourceResult> {
    return await this.#request((connection) => connection.readResource(uri, caller));
  }

  /** By hand: whatever it does now, also one that was given up. */
  async restart(): Promise<void> {
    const { type } = this.#state;
    if (type === "closed") return;
    this.#restarted = false;
    // The person has dealt with it.
    this.#lastProblem = undefined;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#reopen("did not start");
    await this.#start;
  }

  /** Asks the person to log in, and starts it again. Throws an error whose message says why there is no log-in. */
  async logIn(show: LogInOptions["show"], signal: AbortSignal): Promise<void> {
    const config = this.#loginConfig();
    const { logIn } = await import("./log-in/log-in.ts");
    await logIn(config, { store: this.#options.logins, show, signal });
    await this.restart();
  }

  /** Forgets the log-in, and starts it again without. */
  async logOut(): Promise<void> {
    await this.#options.logins.remove(loginId(this.#loginConfig()));
    await this.restart();
  }

  get isLoggedIn(): boolean {
    const { config } = this;
    return config.type !== "stdio" && canLogIn(config) && this.#options.logins.has(loginId(config));
  }

  #loginConfig(): HttpServerConfig {
    const { config } = this;
    if (config.type === "stdio") throw new ToolFailure(`${config.name} is a program and has no log-in.`);
    if (canLogIn(config)) return config;
    throw new ToolFailure(
      config.origin === "project"
        ? `${config.name} is a server of the project. Name it in your own config to log in.`
        : `${config.name} has an Authorization header in the config. Remove it to log in.`,
    );
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { type: "closed" };
    this.#stop.abort();
    if (state.type === "running") await state.connection.close();
    await this.#start;
  }

  async #request<T>(work: (connection: ServerConnection) => Promise<T>): Promise<T> {
    await this.#start;
    const { connection } = this.#running();
    try {
      return await work(connection);
    } catch (error) {
      if (!isUnknownSession(error)) throw error;
    }
    // The server has forgotten our session. MCP: open a new one.
    if (this.#state.type === "running" && this.#state.connection === connection)
      this.#reopen("could not be reached again");
    await this.#start;
    return await work(this.#running().connection);
  }

  #running(): State & { readonly type: "running" } {
    const state = this.#state;
    switch (state.type) {
      case "running":
        return state;
      case "failed":
        throw new ToolFailure(`The MCP server ${this.config.name} does not run: ${state.problem}`);
      case "starting":
      case "closed":
        throw new ToolFailure(`The MCP server ${this.config.name} is closed.`);
    }
  }

  #reopen(failing: string): void {
    const before = this.#start;
    const closed = this.#state.type === "running" ? this.#state.connection.close() : Promise.resolve();
    this.#state = { type: "starting", since: Date.now() };
    this.#start = Promise.all([before, closed]).then(() => this.#open(failing));
    this.#options.onChanged();
  }

  async #open(failing: string): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    const { onChanged, onNotice, ...options } = this.#options;
    let connection: ServerConnection | undefined;
    try {
      connection = await ServerConnection.open(this.config, {
        ...options,
        signal,
        onListChanged: () => void this.#refresh(),
        onDeath: (reason) => this.#restartOnce(reason),
      });
      const [{ items: tools, dropped }, prompts] = await Promise.all([connection.tools(), requestPrompts(connection)]);
      // Closed or restarted while it started.
      if (signal.aborted) return await connection.close();
      this.#state = { type: "running", connection, tools, prompts };
      if (dropped > 0)
        onNotice(`${dropped} tools of the MCP server ${this.config.name} are not usable and were left out.`);
      const unknown = unknownNames(
        this.config.filter,
        tools.map(({ name }) => name),
      );
      if (unknown.length > 0) onNotice(`The MCP server ${this.config.name} has no tool ${unknown.join(", ")}.`);
      onChanged();
    } catch (error) {
      await connection?.close();
      if (!signal.aborted) this.#fail(failing, messageOf(error), error);
    }
  }

  #restartOnce(reason: string): void {
    // During the start, the start itself fails with a notice.
    if (this.#state.type !== "running") return;
    if (this.#restarted) {
      this.#fail("died again and is not used any more", reason);
      return;
    }
    this.#restarted = true;
    this.#lastProblem = `it died: ${reason}`;
    this.#options.onNotice(`The MCP server ${this.config.name} died (${reason}) and is started again.`);
    this.#reopen("did not start again");
  }

  async #refresh(): Promise<void> {
    if (this.#state.type !== "running") return;
    const { connection } = this.#state;
    try {
      const [{ items: tools }, prompts] = await Promise.all([connection.tools(), requestPrompts(connection)]);
      if (this.#state.type !== "running" || this.#state.connection !== connection) return;
      this.#state = { type: "running", connection, tools, prompts };
      this.#options.onChanged();
    } catch (error) {
      this.#options.onNotice(
        `The MCP server ${this.config.name} changed its tools, but does not list them: ${(error as Error).message}`,
      );
    }
  }

  #fail(what: string, problem: string, error?: unknown): void {
    // An error of the start has the server's own as its cause.
    const cause = error instanceof Error ? error.cause : undefined;
    const isForLogIn = requiresLogin(error, this.config) || requiresLogin(cause, this.config);
    this.#state = { type: "failed", problem, wantsLogIn: isForLogIn };
    this.#lastProblem = problem;
    this.#options.onNotice(`The MCP server ${this.config.name} ${what}: ${problem}`);
    this.#options.onChanged();
  }
}

/** A server that says it has prompts and does not list them still has its tools. */
async function requestPrompts(connection: ServerConnection): Promise<readonly ListedPrompt[]> {
  return await connection.prompts().catch(() => []);
}
