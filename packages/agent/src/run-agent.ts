// The composition root of our agent: stdio on one side, sessions on the other. Ends when stdin ends.
import { EarlyConnection } from "./acp/early-connection.ts";
import type { AgentOptions } from "./agent-options.ts";
import { StdoutLines } from "./stdout-lines.ts";

export async function runAgent(options: AgentOptions): Promise<void> {
  const output = new StdoutLines(() => early.end());
  const early = new EarlyConnection({ input: process.stdin, output, version: options.version });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => early.end());
  // A promise that some package forgot is no reason to end everybody's sessions; the host keeps what is said here.
  process.on("unhandledRejection", (reason) => console.error("unhandled rejection:", reason));
  const capabilities = await early.initialized;
  if (capabilities === null) return;
  await saveMemory();
  const { serveClient } = await import("./serve-client.ts");
  await serveClient(early, capabilities, options);
  output.flush();
}

/**
 * There may be many agents, and most of them wait. V8 lets the space for new objects grow to 16 MB while a program loads, and keeps it; its
 * second of three compilers takes 2 MB when it is first used. Tool calls take as long without both, and streams stay far above what a model writes.
 */
async function saveMemory(): Promise<void> {
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--no-maglev");
}
