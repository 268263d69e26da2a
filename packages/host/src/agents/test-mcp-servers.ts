// Tests the MCP servers of the user's config.json: our own agent starts them, as in every session, and says what became of each.
import type { McpServerRow } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import { AgentActivity } from "./agent-activity.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { explainAnswer, ProbeConnection } from "./probe-connection.ts";
import type { ProbeOptions } from "./probe-place.ts";
import type { AgentDefinition } from "./registry.ts";

/** The agent gives a server 30 seconds to start. */
const timeoutMs = 45_000;

/** `agent` is one of ours. Throws a HostError when it does not start. */
export async function startMcpServers(agent: AgentDefinition, options: ProbeOptions): Promise<readonly McpServerRow[]> {
  const activity = new AgentActivity();
  const told = Promise.withResolvers<void>();
  const onOutput = (text: string) => {
    activity.addOutput(text);
    if (activity.mcpServers?.every(({ status }) => status !== "starting") === true) told.resolve();
  };
  const probe = await ProbeConnection.start(agent, { ...options, onOutput });
  const timer = setTimeout(told.resolve, timeoutMs);
  try {
    const steps = [
      ["initialize", { protocolVersion: 1, clientCapabilities }],
      ["session/new", { cwd: probe.folder, mcpServers: [] }],
    ] as const;
    for (const [method, params] of steps) {
      const answer = await probe.request(method, params, timeoutMs);
      if (answer.type !== "result") throw new HostError("agent_failed", explainAnswer(agent, method, answer));
    }
    await told.promise;
    return activity.mcpServers ?? [];
  } finally {
    clearTimeout(timer);
    await probe.stop();
  }
}
