import { type JsonObject, readUpdate } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { ClientUpdates, filterOptions, parseSubAgentId, readKnowledge } from "./client-updates.ts";

const everything = readKnowledge({
  subagents: {},
  plan: {},
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
});
const nothing = readKnowledge({ session: { configOptions: {} } });
const own = (update: JsonObject) => readUpdate({ sessionId: "s", update });
const ofKid = (update: JsonObject) => readUpdate({ sessionId: "kid", update });
const announced = { sessionUpdate: "subagent_update", sessionId: "kid", title: "Look" };

describe("what a client gets of an agent's updates", () => {
  it("is what was sent, where it knows it", () => {
    const updates = new ClientUpdates("T", everything);
    const kinds = ["notice", "compaction_update", "compaction_summary_chunk", "plan_update", "plan_removed", "dream"];
    for (const sessionUpdate of kinds) {
      expect(updates.translate(own({ sessionUpdate }))).toEqual({ type: "as_sent", sessionId: "T" });
    }
    const options = { sessionUpdate: "config_option_update", configOptions: [{ id: "b", type: "boolean" }] };
    expect(updates.translate(own(options))).toEqual({ type: "as_sent", sessionId: "T" });
    const announcement = updates.translate(own(announced));
    expect(announcement).toMatchObject({ type: "as_sent", sessionId: "T" });
    // The ids of the agent's sessions are those below the thread; any other one is the thread itself, never another thread.
    const inUpdate = announcement.type === "as_sent" ? announcement.inUpdate : undefined;
    expect(["kid", "another-thread"].map((id) => inUpdate?.(id))).toEqual(["T/kid", "T"]);
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };
    expect(updates.translate(ofKid(chunk))).toEqual({ type: "as_sent", sessionId: "T/kid" });
    expect(updates.findPlace("subagent:kid:c")).toEqual({ sessionId: "T/kid", toolCallId: "c" });
    expect(updates.findPlace("subagent:stranger:c")).toEqual({ sessionId: "T", toolCallId: "subagent:stranger:c" });
  });

  it.each<readonly [JsonObject, JsonObject]>([
    [
      { sessionUpdate: "notice", title: "Slow", description: "Very" },
      { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Slow\n\nVery\n\n" } },
    ],
    [
      { sessionUpdate: "compaction_update", compactionId: "1", status: "in_progress" },
      { sessionUpdate: "tool_call", toolCallId: "compaction-1", status: "in_progress" },
    ],
    [
      { sessionUpdate: "compaction_update", compactionId: "1", status: "completed" },
      { sessionUpdate: "tool_call_update", toolCallId: "compaction-1", status: "completed" },
    ],
    [
      { sessionUpdate: "plan_update", plan: { type: "markdown", planId: "p", content: "- it" } },
      { sessionUpdate: "plan", entries: [{ content: "- it", priority: "medium", status: "in_progress" }] },
    ],
    [
      { sessionUpdate: "plan_removed", planId: "p" },
      { sessionUpdate: "plan", entries: [] },
    ],
    [
      {
        sessionUpdate: "config_option_update",
        configOptions: [
          { id: "b", type: "boolean" },
          { id: "s", type: "select" },
        ],
      },
      { sessionUpdate: "config_option_update", configOptions: [{ id: "s", type: "select" }] },
    ],
    [announced, { sessionUpdate: "tool_call", toolCallId: "subagent:kid", title: "Look", status: "pending" }],
  ])("is what every client knows, where it does not say more: %j", (sent, expected) => {
    const translated = new ClientUpdates("T", nothing).translate(own(sent));
    expect(translated).toMatchObject({ type: "instead", update: expected });
  });

  it("of sub-agents are their calls, where it knows none, and not their texts", () => {
    const updates = new ClientUpdates("T", nothing);
    updates.translate(own(announced));
    const again = { sessionUpdate: "subagent_update", sessionId: "kid", state: { state: "idle" } };
    expect(updates.translate(own(again))).toMatchObject({
      update: { sessionUpdate: "tool_call_update", toolCallId: "subagent:kid", status: "completed" },
    });
    const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "Read", _meta: { x: 1 } };
    expect(updates.translate(ofKid(call))).toEqual({
      type: "instead",
      update: { ...call, toolCallId: "subagent:kid:c", _meta: { x: 1, parentToolCallId: "subagent:kid" } },
    });
    for (const sessionUpdate of ["agent_message_chunk", "plan", "current_mode_update", "session_message"]) {
      expect(updates.translate(ofKid({ sessionUpdate }))).toEqual({ type: "nothing" });
    }
    expect(updates.translate(own({ sessionUpdate: "session_message" }))).toEqual({ type: "nothing" });
    expect(updates.findPlace("subagent:kid:c")).toEqual({ sessionId: "T", toolCallId: "subagent:kid:c" });
    // One that it was told of before it was connected.
    const later = new ClientUpdates("T", everything);
    later.knowSubAgent("subagent:kid");
    expect(later.translate(ofKid(call))).toEqual({ type: "as_sent", sessionId: "T/kid" });
  });

  it("names threads and their sub-agents apart", () => {
    expect(parseSubAgentId("T")).toBeNull();
    expect(parseSubAgentId("T/a/b")).toEqual({ threadId: "T", sessionId: "a/b" });
    expect(filterOptions(nothing, [{ type: "boolean" }, { type: "select" }])).toEqual([{ type: "select" }]);
    expect(filterOptions(everything, [{ type: "boolean" }])).toEqual([{ type: "boolean" }]);
  });
});
