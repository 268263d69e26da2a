// The composition root of our agent: stdio on one side, sessions on the other. Ends when stdin ends.
import { FrontDesk } from "./acp/front-desk.ts";
import { takeStdout } from "./take-stdout.ts";

export interface AgentOptions {
  readonly version: string;
  /** One of ours; without it config decides, and without that it is the demo. */
  readonly provider?: string;
  readonly model?: string;
  /** The full prefix of the provider's API. */
  readonly baseUrl?: string;
  readonly mode?: "sandbox" | "rx" | "rwx" | "plan";
  /** In place of the user's config.json. */
  readonly configFile?: string;
}

export async function runAgent(options: AgentOptions): Promise<void> {
  const desk = new FrontDesk({ input: process.stdin, write: takeStdout(() => desk.end()), version: options.version });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => desk.end());
  const capabilities = await desk.initialized;
  if (capabilities === null) return;
  const { serveClient } = await import("./serve-client.ts");
  await serveClient(desk, capabilities, options);
}
