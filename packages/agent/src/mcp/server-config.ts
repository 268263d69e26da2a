// An MCP server as the user, the project, the client or a skill names it.

interface Named {
  /** As its tools are called: `mcp__<name>__<tool>`. */
  readonly name: string;
  /**
   * Who named it. What the client or the user's own config names has the network; what lies in the project's folder (`.mcp.json`,
   * `.signalbox/config.json`, its skills) has it only where commands have it.
   */
  readonly origin: "client" | "user" | "project";
}

export interface StdioServerConfig extends Named {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpServerConfig extends Named {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig;

/** What could be read, and what could not, each problem in one sentence that names the place. */
export interface McpServerConfigs {
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly string[];
}
