import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseTitle, mergeToolCall, type ToolCallFields, untitled } from "./merge-tool-call.ts";

const announced = { sessionUpdate: "tool_call", toolCallId: "c" };
const updated = { sessionUpdate: "tool_call_update", toolCallId: "c" };
const known: ToolCallFields = {
  title: "Read a",
  name: "Read",
  kind: "read",
  status: "in_progress",
  content: [{ type: "content" }],
  locations: [{ path: "/a" }],
  rawInput: { path: "/a" },
  rawOutput: "text",
  _meta: { vendor: { a: 1 } },
};

describe("an update", () => {
  it.each([
    ["carries nothing", {}],
    [
      "carries null in every field",
      {
        title: null,
        name: null,
        kind: null,
        status: null,
        content: null,
        locations: null,
        rawInput: null,
        rawOutput: null,
        _meta: null,
      },
    ],
    [
      "carries values of a wrong type",
      { title: 1, name: [], kind: {}, status: true, content: "x", locations: {}, _meta: [] },
    ],
    ["carries fields that are none of a tool call", { rowId: 7, sessionId: "s" }],
  ])("that %s changes nothing", (_, update) => {
    expect(mergeToolCall(known, { ...updated, ...update })).toEqual(known);
  });

  it("replaces a field as a whole, also by an empty one", () => {
    const update = { ...updated, title: "", content: [], locations: [{ path: "/b" }], rawInput: {}, rawOutput: 0 };
    expect(mergeToolCall(known, update)).toEqual({
      ...known,
      title: "",
      content: [],
      locations: [{ path: "/b" }],
      rawInput: {},
      rawOutput: 0,
    });
  });

  it("keeps a kind and a status that ACP does not know", () => {
    expect(mergeToolCall(known, { kind: "teleport", status: "paused" })).toMatchObject({
      kind: "teleport",
      status: "paused",
    });
  });

  it("merges _meta by vendor", () => {
    const merged = mergeToolCall(known, { _meta: { vendor: { b: 2 }, other: true } });
    expect(merged).toEqual({ ...known, _meta: { vendor: { a: 1, b: 2 }, other: true } });
  });
});

describe("an announcement", () => {
  it("is taken whole when the call is new", () => {
    expect(mergeToolCall({}, { ...announced, rawInput: {}, content: [], status: "pending" })).toEqual({
      rawInput: {},
      content: [],
      status: "pending",
    });
  });

  it("that is repeated does not erase by empty fields", () => {
    const again = { ...announced, title: "Read b", content: [], locations: [], rawInput: {}, _meta: {} };
    expect(mergeToolCall(known, again)).toEqual({ ...known, title: "Read b" });
  });
});

describe("the status", () => {
  it.each([
    ["pending", "in_progress", "in_progress"],
    ["in_progress", "pending", "in_progress"],
    ["paused", "pending", "paused"],
    ["in_progress", "paused", "paused"],
    ["in_progress", "completed", "completed"],
    ["completed", "in_progress", "completed"],
    ["failed", "pending", "failed"],
    ["failed", "paused", "failed"],
    ["completed", "failed", "failed"],
    ["failed", "completed", "completed"],
  ])("%s, then %s, is %s", (before, sent, after) => {
    expect(mergeToolCall({ status: before }, { status: sent }).status).toBe(after);
  });
});

describe("the title", () => {
  it.each([
    [{ title: "Read a", name: "Read" }, "Read a"],
    [{ name: "Read" }, "Read"],
    [{ title: untitled, name: "Read" }, "Read"],
    [{ title: null, name: null }, untitled],
    [{}, untitled],
  ])("of %j is %s", (call, title) => {
    expect(chooseTitle(call)).toBe(title);
  });
});

it("changes neither argument, and gives the same when an update is applied twice", () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 2 }), fc.object({ maxDepth: 2 }), (call, update) => {
      const before = structuredClone({ call, update });
      const merged = mergeToolCall<ToolCallFields>(call, update);
      expect({ call, update }).toEqual(before);
      expect(mergeToolCall(merged, update)).toEqual(merged);
    }),
  );
});
