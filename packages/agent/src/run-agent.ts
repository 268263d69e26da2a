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
  const { serveClient } = await import("./serve-client.ts");
  await serveClient(early, capabilities, options);
  output.flush();
}
