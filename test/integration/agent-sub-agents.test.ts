// Sub-agents of our agent: side by side, each with a context of its own, with the permissions, the cost and the cancel of the session.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AgentStage } from "../support/agent-stage.ts";
import type { Reply } from "../support/model-server/script.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";

const usage = { input: 1000, output: 100 };
const call = (name: string, input: object, id: string) => ({ name, input, id });
const task = (title: string, tools: string, id: string) =>
  call("task", { title, prompt: `${title} please`, tools }, id);
const isSubAgent = ({ system }: SeenRequest) => system.includes("You are a sub-agent");

/** The main agent starts two; the first reads, the second writes. All of them use the same ids for their calls. */
function twoTasks(request: SeenRequest): Reply {
  const results = request.messages.flatMap(({ toolResults = [] }) => toolResults);
  if (!isSubAgent(request)) {
    if (results.length > 0) return { text: "Both are done.", usage };
    return { toolCalls: [task("Look", "read", "c1"), task("Write", "all", "c2")], usage };
  }
  const looks = JSON.stringify(request.messages[0]).includes("Look please");
  if (results.length > 0) return { text: looks ? "It says alpha." : "Written.", usage };
  return looks
    ? { toolCalls: [call("read", { path: "a.txt" }, "c1")], usage }
    : { toolCalls: [call("write", { path: "new.txt", content: "x" }, "c1")], usage };
}

it("work side by side, are shown below their calls, ask through the session and count in its cost", async () => {
  await using stage = await AgentStage.open(twoTasks);
  expect(await stage.prompt("Do both")).toEqual({ stopReason: "end_turn" });
  expect(stage.results()).toEqual(["It says alpha.", "Written."]);
  // The main agent's context has none of what they read.
  expect(JSON.stringify(stage.server.requests.at(-1)?.messages)).not.toContain("alpha\\n");
  expect(existsSync(join(stage.project, "new.txt"))).toBe(true);

  const subAgents = stage.server.requests.filter(isSubAgent);
  expect(subAgents).toHaveLength(4);
  for (const { tools } of subAgents) expect(tools).not.toContain("task");
  const reading = subAgents.filter(({ messages }) => JSON.stringify(messages).includes("Look please"));
  for (const { tools } of reading) expect(tools).not.toContain("write");

  const calls = stage.agent.ofKind("tool_call");
  expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(4);
  const below = calls.filter(({ _meta }) => _meta?.parentToolCallId !== undefined);
  expect(Object.fromEntries(below.map(({ name, _meta }) => [name, _meta?.parentToolCallId]))).toEqual({
    read: "c1",
    write: "c2",
  });
  expect(stage.agent.questions.map(({ toolCall }) => toolCall.title)).toEqual(["Write `new.txt`"]);
  // What they say is for the main agent.
  expect(stage.agent.text()).toBe("Both are done.");
  // Six requests of 1,000 and 100 tokens for 3 and 15 dollars a million.
  expect(stage.agent.ofKind("usage_update").at(-1)?.cost?.amount).toBeCloseTo(6 * (0.003 + 0.0015), 6);
});

it("end with the turn, and a provider that fails is the result of the call", async () => {
  await using stage = await AgentStage.open((request, index): Reply => {
    if (index === 0) return { toolCalls: [task("Wait", "all", "c1")] };
    if (index === 1) return { toolCalls: [call("bash", { command: "sleep 600" }, "c1")] };
    if (index === 2) return { toolCalls: [task("Fail", "read", "c1")] };
    return isSubAgent(request) ? { status: 400, message: "no such thing" } : { text: "I see." };
  });
  const turn = stage.prompt("Go");
  await stage.agent.until(() =>
    stage.agent
      .ofKind("tool_call_update")
      .some(({ status, toolCallId }) => status === "in_progress" && toolCallId !== "c1"),
  );
  await stage.agent.cancel(stage.sessionId);
  expect(await turn).toEqual({ stopReason: "cancelled" });
  const ends = stage.agent.ofKind("tool_call_update").filter(({ status }) => status === "failed");
  expect(ends).toHaveLength(2);

  expect(await stage.prompt("Again")).toEqual({ stopReason: "end_turn" });
  expect(stage.results().at(-1)).toContain("no such thing");
});
