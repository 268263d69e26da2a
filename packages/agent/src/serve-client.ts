// Serves one client until it disconnects. Loads everything that `initialize` did not need: the SDK, sessions, tools.
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { defaultDataFolder } from "@signalbox/config";
import { agentApp } from "./acp/agent-app.ts";
import type { EarlyConnection } from "./acp/early-connection.ts";
import type { AgentOptions } from "./agent-options.ts";
import { sessionClient } from "./sessions/client.ts";
import { Sessions } from "./sessions/sessions.ts";

/** Processes that still run after this time are ended by the sandbox, which ends everything its parent started. */
const shutdownTimeoutMs = 4000;

export async function serveClient(
  early: EarlyConnection,
  capabilities: ClientCapabilities,
  options: AgentOptions,
): Promise<void> {
  const { env } = process;
  let sessions: Sessions | undefined;
  const app = agentApp(() => {
    if (sessions === undefined) throw new Error("the connection is not open yet");
    return sessions;
  });
  const connection = app.connect(early.connect());
  sessions = new Sessions({
    ...options,
    home: defaultDataFolder(env),
    env,
    client: sessionClient(connection.client, capabilities),
  });
  await connection.closed;
  await Promise.race([sessions.closeAll(), new Promise((resolve) => setTimeout(resolve, shutdownTimeoutMs).unref())]);
}
