// Manages one MCP server of a session: starts it, restarts it once if it dies, and closes it with the session.
import { type CallToolResult, SdkHttpError } from "@modelcontextprotocol/client";
import { ToolFailure } from "@signalbox/agent-kit";
import { errorText } from "@signalbox/tool-calls";
import type { ToolContext } from "../tools/tool.ts";
import type { ListedTool } from "./listed-tool.ts";
import type { McpServerConfig } from "./server-config.ts";
import { type ConnectionOptions, ServerConnection } from "./server-connection.ts";

type State =
  | { readonly type: "starting" }
  | { readonly type: "running"; readonly connection: ServerConnection; readonly tools: readonly ListedTool[] }
  | { readonly type: "failed"; readonly problem: string }
  | { readonly type: "closed" };

interface ManagedServerOptions extends Pick<ConnectionOptions, "workspace" | "version" | "network" | "startTimeoutMs"> {
  readonly onToolsChanged: () => void;
  readonly onNotice: (notice: string) => void;
}

export class ManagedServer {
  readonly config: McpServerConfig;
  readonly #options: ManagedServerOptions;
  #state: State = { type: "starting" };
  /** The current start, or the last one. Never rejects. */
  #start: Promise<void>;
  #restarted = false;
  readonly #stop = new AbortController();

  constructor(config: McpServerConfig, options: ManagedServerOptions) {
    this.config = config;
    this.#options = options;
    this.#start = this.#open("did not start");
  }

  get status(): State {
    return this.#state;
  }

  get tools(): readonly ListedTool[] {
    return this.#state.type === "running" ? this.#state.tools : [];
  }

  started(): Promise<void> {
    return this.#start;
  }

  async call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult> {
    await this.#start;
    const { connection } = this.#running();
    try {
      return await connection.call(tool, args, context);
    } catch (error) {
      if (!isUnknownSession(error)) throw error;
    }
    // The server has forgotten our session. MCP: open a new one.
    if (this.#state.type === "running" && this.#state.connection === connection)
      this.#reopen("could not be reached again");
    await this.#start;
    return await this.#running().connection.call(tool, args, context);
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { type: "closed" };
    this.#stop.abort();
    if (state.type === "running") await state.connection.close();
    await this.#start;
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
    const { connection } = this.#running();
    this.#state = { type: "starting" };
    this.#start = connection.close().then(() => this.#open(failing));
  }

  async #open(failing: string): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { onToolsChanged, onNotice, ...options } = this.#options;
    let connection: ServerConnection | undefined;
    try {
      connection = await ServerConnection.open(this.config, {
        ...options,
        signal: this.#stop.signal,
        onToolsChanged: () => void this.#refresh(),
        onDeath: (reason) => this.#restartOnce(reason),
      });
      const { tools, dropped } = await connection.tools();
      // Closed while it started.
      if (this.#state.type === "closed") return await connection.close();
      this.#state = { type: "running", connection, tools };
      if (dropped > 0)
        onNotice(`${dropped} tools of the MCP server ${this.config.name} are not usable and were left out.`);
      onToolsChanged();
    } catch (error) {
      await connection?.close();
      if (this.#state.type !== "closed") this.#fail(failing, errorText(error));
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
    this.#options.onNotice(`The MCP server ${this.config.name} died (${reason}) and is started again.`);
    this.#reopen("did not start again");
  }

  async #refresh(): Promise<void> {
    if (this.#state.type !== "running") return;
    const { connection } = this.#state;
    try {
      const { tools } = await connection.tools();
      if (this.#state.type !== "running" || this.#state.connection !== connection) return;
      this.#state = { type: "running", connection, tools };
      this.#options.onToolsChanged();
    } catch (error) {
      this.#options.onNotice(
        `The MCP server ${this.config.name} changed its tools, but does not list them: ${(error as Error).message}`,
      );
    }
  }

  #fail(what: string, problem: string): void {
    this.#state = { type: "failed", problem };
    this.#options.onNotice(`The MCP server ${this.config.name} ${what}: ${problem}`);
    this.#options.onToolsChanged();
  }
}

/** MCP: 404. Some servers answer 400. */
function isUnknownSession(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message));
}
