// Opens the MCP servers of a session, all in parallel.
import type { McpOptions, McpSession } from "./mcp-session.ts";

const noServers: McpSession = { ready: Promise.resolve(), tools: [], servers: [], close: async () => {} };

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
    get servers() {
      return set?.statuses ?? [];
    },
    close: async () => (await opened).close(),
  };
}
