// Rehearses a turn of our agent with each provider on a scripted model, so that the compile cache of a new build has what a first turn needs:
// compiled on the way, it would take a tenth of a turn of 50 calls.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelServer } from "../../../test/support/model-server/model-server.ts";
import { RehearsedAgent } from "./rehearsed-agent.mjs";

/** One after the other, as most real turns have them. */
const calls = [
  { name: "read", input: { path: "a.txt" } },
  { name: "edit", input: { path: "a.txt", old_string: "alpha", new_string: "beta" } },
  { name: "write", input: { path: "b.txt", content: "gamma\n" } },
  { name: "bash", input: { command: "cat a.txt" } },
  { name: "bash", input: { command: "true" } },
];

const folder = mkdtempSync(join(tmpdir(), "signalbox-rehearsal-"));
const model = await ModelServer.start(({ messages }) => {
  const done = messages.filter(({ toolResults }) => toolResults !== undefined).length;
  return done < calls.length ? { toolCalls: [calls[done]] } : { text: "Done." };
});
try {
  await rehearse(join(folder, "home"), join(folder, "project"));
} finally {
  await model[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

function address(path) {
  return { base_url: `${model.url}${path}` };
}

async function rehearse(home, project) {
  mkdirSync(home);
  mkdirSync(project);
  const config = {
    permissions: [{ decision: "allow" }],
    provider: "anthropic",
    providers: {
      anthropic: { ...address("/v1"), model: "claude-sonnet-4-5" },
      openai: { ...address("/v1"), model: "local" },
      gemini: { ...address("/v1beta"), model: "gemini-2.5-pro" },
      openrouter: { ...address("/api/v1"), model: "some/model" },
      ollama: { ...address(""), model: "scripted" },
    },
  };
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  const agent = new RehearsedAgent({ PATH: process.env.PATH, HOME: home, SIGNALBOX_HOME: home });
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request("session/new", { cwd: project, mcpServers: [] });
  const prompt = (text) => agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  for (const provider of Object.keys(config.providers)) {
    writeFileSync(join(project, "a.txt"), "alpha\n");
    await prompt("/clear");
    await prompt(`/model ${provider}:`);
    model.requests.length = 0;
    await prompt("Go");
    const count = model.requests.length;
    if (count <= calls.length) throw new Error(`${provider} was asked ${count} times, not ${calls.length + 1}`);
  }
  await agent.end();
}
