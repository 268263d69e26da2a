// The composition root of our agent: stdio on one side, a model on the other. Ends when stdin ends.
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { agentApp } from "./acp/agent-app.ts";
import { openModel, type ProviderName } from "./providers/open-model.ts";

export interface AgentOptions {
  readonly version: string;
  readonly provider: ProviderName;
}

const demo = {
  model: "demo",
  apiKey: null,
  keyVariable: null,
  baseUrl: null,
  headers: {},
  contextWindow: null,
  stallMs: 1,
};

export async function runAgent({ version, provider }: AgentOptions): Promise<void> {
  const stream = ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  );
  const app = agentApp({ version, model: () => openModel({ ...demo, provider }) });
  await app.connect(stream).closed;
}
