// For tests: the servers of a session in a folder of its own, started for real.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { HttpServerConfig, McpServerConfig } from "@signalbox/agent-kit";
import { everyTool } from "@signalbox/agent-kit";
import { LoginStore } from "@signalbox/config/logins";
import { type TestFolder, type Trial, type TrialOptions, testFolder, tryTool } from "../../tools/testing/try-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { McpOptions, McpSession } from "../mcp-session.ts";
import { openMcp } from "../open-mcp.ts";

export interface TestSession extends AsyncDisposable {
  readonly folder: TestFolder;
  readonly session: McpSession;
  readonly logins: LoginStore;
  readonly notices: string[];
  changes(): number;
  tool(name: string): Tool;
  call(name: string, args?: object, options?: TrialOptions): Promise<Trial>;
}

export async function testSession(
  servers: (folder: TestFolder) => readonly McpServerConfig[],
  options: Partial<McpOptions> = {},
): Promise<TestSession> {
  const folder = testFolder();
  const notices: string[] = [];
  let changes = 0;
  const logins = options.logins ?? new LoginStore(folder.home, undefined);
  const session = openMcp({
    servers: servers(folder),
    workspace: folder.workspace,
    version: "1.2.3",
    sessionId: "session",
    elicitations: undefined,
    logins,
    projectNetwork: false,
    onChanged: () => changes++,
    onNotice: (notice) => notices.push(notice),
    ...options,
  });
  await session.ready;
  const tool = (name: string) => {
    const found = session.tools.find((each) => each.name === name);
    if (found === undefined)
      throw new Error(
        `no tool ${name} among ${session.tools.map((each) => each.name).join(", ")}; ${notices.join(" ")}`,
      );
    return found;
  };
  return {
    folder,
    session,
    logins,
    notices,
    changes: () => changes,
    tool,
    call: (name, args = {}, trial = {}) => tryTool(tool(name), folder.workspace, args, trial),
    async [Symbol.asyncDispose]() {
      await session.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export function nodeServer(
  name: string,
  args: readonly string[],
  more: Partial<McpServerConfig> = {},
): McpServerConfig {
  return {
    type: "stdio",
    origin: "user",
    filter: everyTool,
    name,
    command: process.execPath,
    args,
    env: {},
    ...more,
  } as McpServerConfig;
}

export function urlServer(name: string, url: string, more: Partial<HttpServerConfig> = {}): HttpServerConfig {
  return { type: "http", origin: "user", filter: everyTool, name, url, headers: {}, ...more };
}

export function badServer(behaviour: string, ...args: readonly string[]): McpServerConfig {
  return nodeServer("bad", [join(import.meta.dirname, "misbehaving-server.mjs"), behaviour, ...args]);
}

/** The program of a server package from npm. */
export function serverProgram(name: string): string {
  return createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`);
}
