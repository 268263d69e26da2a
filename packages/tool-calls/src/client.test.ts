import type { AgentContext } from "@agentclientprotocol/sdk";
import type { AgentContext as UnstableAgentContext } from "@agentclientprotocol/sdk/unstable";
import { expect, expectTypeOf, it } from "vitest";
import { sdkClient, selected } from "../test-support/recording-client.ts";
import type { AgentContextLike } from "./client.ts";

it("fits the context of both entries of the SDK", () => {
  expectTypeOf<AgentContext>().toExtend<AgentContextLike>();
  expectTypeOf<UnstableAgentContext>().toExtend<AgentContextLike>();
});

it("carries updates and questions, and withdraws a question that is not wanted any more", async () => {
  let asked = 0;
  const client = sdkClient(() => (asked++ === 0 ? selected("allow_once") : new Promise(() => undefined)));
  await client.sessionUpdate({ sessionId: "s", update: { sessionUpdate: "plan", entries: [] } });
  const question = { sessionId: "s", toolCall: { toolCallId: "c" }, options: [] };
  const withdrawn = new AbortController();
  expect(await client.requestPermission(question, { signal: withdrawn.signal })).toEqual(selected("allow_once"));
  expect(client.updates).toEqual([{ sessionUpdate: "plan", entries: [] }]);

  const second = client.requestPermission(question, { signal: withdrawn.signal });
  await expect.poll(() => asked).toBe(2);
  withdrawn.abort();
  await expect(second).rejects.toMatchObject({ code: -32800 });
  client.close();
});
