// Tests the MCP servers of the user's config.json: our own agent starts them, as in every session, and says what became of each.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerRow } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import { AgentActivity } from "./agent-activity.ts";
import type { AgentProcessOptions } from "./agent-process.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { explainAnswer, ProbeConnection } from "./probe-connection.ts";
import type { AgentDefinition } from "./registry.ts";

/** The agent gives a server 30 seconds to start. */
const timeoutMs = 45_000;

/** `agent` is one of ours. Throws a HostError when it does not start. */
export async function startMcpServers(
  agent: AgentDefinition,
  options: AgentProcessOptions,
): Promise<readonly McpServerRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-mcp-test-"));
  const activity = new AgentActivity();
  const told = Promise.withResolvers<void>();
  const onOutput = (text: string) => {
    activity.addOutput(text);
    if (activity.mcpServers?.every(({ status }) => status !== "starting") === true) told.resolve();
  };
  const probe = new ProbeConnection(agent, folder, { ...options, onOutput });
  const timer = setTimeout(told.resolve, timeoutMs);
  try {
    const steps = [
      ["initialize", { protocolVersion: 1, clientCapabilities }],
      ["session/new", { cwd: folder, mcpServers: [] }],
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
    await rm(folder, { recursive: true, force: true });
  }
}
