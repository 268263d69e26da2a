// Opens the MCP servers of a session, all in parallel.
import type { McpOptions, McpSession } from "./mcp-session.ts";
import type { ServerSet } from "./server-set.ts";

const noServers: McpSession = {
  opened: Promise.resolve(),
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
  let set: ServerSet | undefined;
  const opened = import("./server-set.ts").then(({ ServerSet: Servers }) => {
    set = new Servers(options);
    return set;
  });
  return {
    opened: opened.then(() => {}),
    ready: opened.then((servers) => servers.started()),
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
