// Waits for MCP servers that still start, visibly: a call in the timeline says which ones, and for how long already.
import { randomUUID } from "node:crypto";
import { type ToolCallTracker, textContent, untilAborted } from "@signalbox/tool-calls";
import { waiting } from "../loop/retry-countdown.ts";
import type { McpSession } from "../mcp/mcp-session.ts";

/** Most servers are there by then, and nothing needs to be said. */
const silentMs = 300;
const stepMs = 1000;
const title = "Waiting for MCP servers";

/** Resolves when the servers are there, or after `limitMs`; rejects only when it is cancelled. */
export async function waitForServers(
  mcp: Pick<McpSession, "ready" | "servers">,
  tracker: Pick<ToolCallTracker, "announce">,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (await isReadyWithin(mcp.ready, silentMs, signal)) return;
  const names = starting(mcp);
  const pending = tracker.announce({
    id: `mcp_${randomUUID()}`,
    name: "mcp_servers",
    title: `${title}: ${names.join(", ")}`,
    kind: "other",
    signal,
  });
  const call = pending.start();
  if (call.status !== "in_progress") return;
  const since = performance.now();
  const show = () => {
    const seconds = Math.round((performance.now() - since) / 1000);
    call.update(waiting(title, { progress: seconds, message: `${starting(mcp).join(", ")}, ${seconds} s` }));
  };
  show();
  const timer = setInterval(show, stepMs);
  try {
    await isReadyWithin(mcp.ready, limitMs - silentMs, signal);
    call.complete({ title: `${title}: ${names.join(", ")}`, content: [textContent(outcome(mcp, names))] });
  } catch (error) {
    call.cancel("Cancelled.");
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function starting({ servers }: Pick<McpSession, "servers">): readonly string[] {
  return servers.filter(({ state }) => state === "starting").map(({ name }) => name);
}

function outcome({ servers }: Pick<McpSession, "servers">, names: readonly string[]): string {
  return servers
    .filter(({ name }) => names.includes(name))
    .map(({ name, state, tools, problem }) => {
      if (state === "running") return `${name}: ${tools} tools.`;
      return state === "starting" ? `${name} still starts. The turn goes on without it.` : `${name}: ${problem}`;
    })
    .join("\n");
}

async function isReadyWithin(ready: Promise<void>, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const time = AbortSignal.timeout(Math.max(0, milliseconds));
  try {
    await untilAborted(ready, AbortSignal.any([signal, time]));
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
