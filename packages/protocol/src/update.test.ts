import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "./json.ts";
import { makeToolCall, makeToolCallUpdate, type UpdateFields } from "./make-update.ts";
import { type MessageChunk, readUpdate, replaceText, type Update } from "./update.ts";

const read = (update: Json) => readUpdate({ sessionId: "s", update });

/** Every kind that is known here, each in its smallest form, and what it becomes. */
const kinds: readonly (readonly [UpdateFields, Update["type"]])[] = [
  [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: "a" } }, "message_chunk"],
  [{ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "" } }, "message_chunk"],
  [{ sessionUpdate: "agent_thought_chunk", content: { type: "dream" } }, "message_chunk"],
  [{ sessionUpdate: "tool_call", toolCallId: "t" }, "tool_call"],
  [{ sessionUpdate: "tool_call_update", toolCallId: "t" }, "tool_call"],
  [{ sessionUpdate: "plan", entries: [] }, "plan"],
  [{ sessionUpdate: "plan_update" }, "plan_with_id"],
  [{ sessionUpdate: "plan_removed", planId: "p" }, "plan_with_id"],
  [{ sessionUpdate: "current_mode_update", currentModeId: "m" }, "mode"],
  [{ sessionUpdate: "config_option_update" }, "config_options"],
  [{ sessionUpdate: "available_commands_update" }, "commands"],
  [{ sessionUpdate: "usage_update" }, "usage"],
  [{ sessionUpdate: "session_info_update" }, "session_info"],
  [{ sessionUpdate: "subagent_update", sessionId: "kid" }, "sub_agent"],
  [{ sessionUpdate: "session_message" }, "session_message"],
  [{ sessionUpdate: "session_message_chunk" }, "session_message"],
  [{ sessionUpdate: "notice" }, "notice"],
  [{ sessionUpdate: "compaction_update" }, "compaction"],
  [{ sessionUpdate: "compaction_summary_chunk" }, "compaction_summary"],
  [{ sessionUpdate: "dream", of: ["sheep"] }, "other"],
  // It says nothing, and is in the log under its kind.
  [{ sessionUpdate: "current_mode_update", currentModeId: 3 }, "other"],
];

describe("an update", () => {
  it.each(kinds)("%j is read as %s, under the agent's word for it", (fields, type) => {
    const params = { sessionId: "s", update: fields, extra: 1 };
    const update = readUpdate(params);
    expect(update).toMatchObject({ type, kind: fields.sessionUpdate, sessionId: "s" });
    expect(update.raw).toBe(params);
    if (update.type !== "malformed") expect(update.fields).toBe(fields);
  });

  it.each<Json | undefined>([
    undefined,
    null,
    7,
    "text",
    [],
    {},
    { update: null },
    { update: [] },
    { update: { sessionUpdate: 5 } },
    { update: { sessionUpdate: "agent_message_chunk" } },
    { update: { sessionUpdate: "agent_message_chunk", content: "text" } },
    { update: { sessionUpdate: "user_message_chunk", content: { type: 1 } } },
    { update: { sessionUpdate: "tool_call", title: "no id" } },
    { update: { sessionUpdate: "tool_call_update", toolCallId: 7 } },
    { update: { sessionUpdate: "plan", entries: "none" } },
  ])("is malformed where it lacks what its kind must have: %j", (params) => {
    const update = readUpdate(params);
    expect(update.type).toBe("malformed");
    expect(update.raw).toBe(params);
  });

  it("may name no session", () => {
    expect(readUpdate({ update: { sessionUpdate: "dream" } }).sessionId).toBeNull();
    expect(readUpdate({ sessionId: 5, update: { sessionUpdate: "dream" } }).sessionId).toBeNull();
  });
});

describe("the fields of a tool call", () => {
  const call = {
    toolCallId: "t",
    title: "Read",
    name: "read",
    kind: "odd kind",
    status: "odd status",
    content: [{ type: "content", content: { type: "text", text: "x" } }, 5],
    locations: [{ path: "/a" }],
    rawInput: { a: 1 },
    rawOutput: "out",
    _meta: { vendor: true },
  };

  it("are those that were sent, not copies", () => {
    const update = read(makeToolCall(call));
    if (update.type !== "tool_call") throw new Error(update.type);
    expect(update).toMatchObject({ isAnnouncement: true, call });
    expect(update.call.content).toBe(call.content);
    expect(update.call.rawInput).toBe(call.rawInput);
  });

  it("count as left out where their type is wrong", () => {
    const wrong = { title: 1, name: [], kind: null, status: {}, content: "x", locations: {}, _meta: [] };
    const update = read({ ...makeToolCallUpdate({ toolCallId: "t" }), ...wrong });
    expect(update).toMatchObject({ type: "tool_call", isAnnouncement: false });
    if (update.type === "tool_call") expect(JSON.parse(JSON.stringify(update.call))).toEqual({ toolCallId: "t" });
  });
});

describe("what other updates say", () => {
  it.each<readonly [JsonObject, object]>([
    [{ sessionUpdate: "usage_update", cost: { amount: 2 } }, { cost: { amount: 2, currency: "USD" } }],
    [{ sessionUpdate: "usage_update", cost: { amount: "2" } }, { cost: null }],
    [{ sessionUpdate: "session_info_update", title: 7 }, { title: null }],
    [{ sessionUpdate: "notice", title: "Slow", description: "Very" }, { text: "Slow\n\nVery" }],
    [{ sessionUpdate: "plan", entries: [{ content: "a" }, 5, { priority: "high" }] }, { entries: [{ content: "a" }] }],
    [
      { sessionUpdate: "session_message", content: [{ type: "text", text: "a" }, 7], messageId: "m" },
      { blocks: [{ type: "text", text: "a" }], messageId: "m" },
    ],
    [
      { sessionUpdate: "compaction_update", compactionId: "1", status: "cancelled" },
      { isRunning: false, call: { toolCallId: "compaction-1", status: "failed" } },
    ],
    [
      { sessionUpdate: "subagent_update", sessionId: "kid", capabilities: { cancel: {} } },
      { announced: { sessionId: "kid", canCancel: true, call: { toolCallId: "subagent:kid" } } },
    ],
    [{ sessionUpdate: "subagent_update", sessionId: "" }, { announced: null }],
  ])("%j", (fields, expected) => {
    expect(read(fields)).toMatchObject(expected);
  });

  it("a chunk with another text is the same chunk otherwise", () => {
    const content = { type: "text", text: "long", annotations: { a: 1 } };
    const raw = { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content, x: 1 }, y: 2 };
    const chunk = readUpdate(raw) as MessageChunk;
    expect(replaceText(chunk, "short")).toEqual(
      readUpdate({ ...raw, update: { ...raw.update, content: { ...content, text: "short" } } }),
    );
    expect(content.text).toBe("long");
  });
});

/** Fields that some kind has, with values of every type. */
const names = fc.constantFrom(
  ..."sessionUpdate content toolCallId entries plan planId cost sessionId state _meta".split(" "),
  ..."capabilities summary status title messageId type text path amount __proto__".split(" "),
);
const words = fc.constantFrom("", "text", "items", "in_progress", ...kinds.map(([{ sessionUpdate }]) => sessionUpdate));
const { junk } = fc.letrec<{ junk: Json }>((tie) => ({
  junk: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    words,
    fc.constantFrom<Json>(null, true, 0, -1.5, 1e300),
    fc.array(tie("junk"), { maxLength: 4 }),
    fc.dictionary(names, tie("junk"), { maxKeys: 8 }),
  ),
}));
const junkUpdate = fc
  .tuple(fc.dictionary(names, junk, { maxKeys: 8 }), words)
  .map(([fields, sessionUpdate]) => ({ ...fields, sessionUpdate }));
const junkParams: fc.Arbitrary<Json> = fc.oneof(
  junk,
  fc.record({ sessionId: junk, update: fc.oneof(junkUpdate, junk), other: junk }),
);

describe("junk", () => {
  it("never makes the reader throw, and is whole in `raw`", () => {
    fc.assert(
      fc.property(junkParams, (params) => {
        const before = JSON.stringify(params);
        const update = readUpdate(params);
        expect(update.raw).toBe(params);
        expect(JSON.stringify(update.raw)).toBe(before);
        if (update.type !== "malformed") expect(update.kind).toBe(update.fields.sessionUpdate);
      }),
      { numRuns: 2000 },
    );
  });
});
