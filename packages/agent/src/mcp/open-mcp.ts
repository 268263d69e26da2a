// Opens the MCP servers of a session, all in parallel.
import type { McpOptions, McpSession } from "./mcp-session.ts";

const noServers: McpSession = {
  ready: Promise.resolve(),
  tools: [],
  prompts: [],
  servers: [],
  restart: async () => false,
  logIn: async () => false,
  logOut: async () => false,
  readMentions: async () => ({ content: [], problems: [] }),
  close: async () => {},
};

/** Does not wait for the servers to start. Without servers the SDK is not loaded. */
export function openMcp(options: McpOptions): McpSession {
  if (options.servers.length === 0) return noServers;
  const opened = import("./server-set.ts").then(({ ServerSet }) => new ServerSet(options));
  let set: Awaited<typeof opened> | undefined;
  const ready = opened.then(async (servers) => {
    set = servers;
    await servers.started();
  });
  return {
    ready,
    get tools() {
      return set?.tools ?? [];
    },
    get prompts() {
      return set?.prompts ?? [];
    },
    get servers() {
      return set?.statuses ?? [];
    },
    restart: async (name) => (await opened).restart(name),
    logIn: async (name, show, signal) => (await opened).logIn(name, show, signal),
    logOut: async (name) => (await opened).logOut(name),
    readMentions: async (text, caller) => (await opened).readMentions(text, caller),
    close: async () => (await opened).close(),
  };
}
