// A config file means the same to the host and to our agent: what one refuses the other refuses, with the same message.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AgentClient } from "../support/agent-process.ts";
import { FakeHost } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";

let host: FakeHost;
let screen: TestScreen;
let agent: AgentClient;

beforeAll(async () => {
  host = await FakeHost.start();
  screen = await host.screen();
  agent = await AgentClient.start({ home: host.folder.in("agent-home") });
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

it.each([
  ["{}", undefined],
  ['{"permissions": [{"decision": "deny", "kind": "ed*"}]}', undefined],
  ['{"permissions": [{"deny": "path:a,path:b"}]}', undefined],
  ['{"permissions": [{"allow": "all"}], "agents": {"x": {"command": "x"}}, "sandbox": {"mode": "off"}}', undefined],
  ['{"limits": {"max_turns": 3}, "provider": "demo", "mcpServers": {"a": {"nonsense": 1}}}', undefined],
  ["{ limits", "is not JSON"],
  ["[]", "the file is wrong: expected object"],
  ['{"permisions": []}', 'Did you mean "permissions"?'],
  ['{"sandbox": {"netwrok": true}}', 'Did you mean "sandbox.network"?'],
  ['{"providers": {"openai": {"api_key": "x"}}}', '"providers.openai.api_key" is not a known key'],
  ['{"providers": "openai"}', '"providers" is wrong'],
  ['{"limits": {"max_turns": "many"}}', '"limits.max_turns" is wrong: expected number'],
  ['{"permission_timeout_s": 1e9}', '"permission_timeout_s" is wrong'],
  ['{"permissions": [{"deny": "colour:red"}]}', '"permissions[0].deny" is wrong'],
  ['{"permissions": [{"deny": "command:"}]}', '"permissions[0].deny" is wrong'],
  ['{"agents": {"my agent": {"command": "x"}}}', '"agents.my agent" is wrong'],
])("the project's config %s", async (text, problem) => {
  const folder = join(host.project, ".signalbox");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), text);
  const thread = await screen.request({ control: "session.create", agent_id: "fake", cwd: host.project });
  const session = await agent.newSession(host.project).then(
    () => undefined,
    (error: unknown) => error,
  );
  rmSync(folder, { recursive: true });
  if (problem === undefined) {
    expect(thread).toMatchObject({ type: "tinyvex.ok" });
    expect(session).toBeUndefined();
    return;
  }
  expect(thread).toMatchObject({ code: "bad_request", message: expect.stringContaining(problem) });
  expect(session).toMatchObject({ message: (thread as { readonly message: string }).message });
});
