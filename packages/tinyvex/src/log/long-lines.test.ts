import { describe, expect, it } from "vitest";
import { AgentLineParser, readLongLine } from "./agent-line.ts";
import { splitChunk } from "./split-chunk.ts";

const long = 'He said "hello" \\ zürich 😀\n'.repeat(38_000);
const line = (message: object) => Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
const update = (fields: object) => ({ method: "session/update", params: { sessionId: "s", update: fields } });
const output = {
  sessionUpdate: "tool_call",
  toolCallId: "t",
  content: [{ type: "text", text: long }],
  rawInput: { long },
};

function read(message: object) {
  const result = readLongLine(line(message));
  if (result.type !== "message") throw new Error(result.type);
  return new AgentLineParser().parseRead(result);
}

describe("a long line that a worker read", () => {
  it.each([
    ["an update", update(output)],
    ["another notification", { method: "_x/y", params: { long } }],
    ["a request", { id: 1, method: "fs/write_text_file", params: { path: "/a", content: long } }],
    ["an answer", { id: 1, result: { long } }],
  ])("is the same as one that was parsed here: %s", (_what, message) => {
    const here = new AgentLineParser().parse(line(message));
    const there = read(message);
    expect(there?.message).toEqual(here?.message);
    expect(there?.source?.json).toBe(here?.source?.json);
    const texts = (parsed: typeof here) =>
      parsed?.source?.texts.map(({ ref, hash, bytes }) => [ref, hash, Buffer.from(bytes).equals(Buffer.from(long))]);
    expect(texts(there)).toEqual(texts(here));
  });

  it("that is no message is not kept whole", () => {
    expect(readLongLine(Buffer.from(`{"a":${long}`))).toMatchObject({ type: "no_message" });
  });

  it.each([
    ["values", { list: Array.from({ length: 60_000 }, () => 1) }, "more than 50,000 values"],
    ["objects", { list: Array.from({ length: 30_000 }, () => ({})) }, "more than 50,000 values"],
    ["levels", JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`), "nested more than 500 levels deep"],
    ["text that is not long", { list: Array.from({ length: 100 }, () => "x".repeat(60_000)) }, "more than 4 MB"],
    ["text with half a character", { text: `${"x".repeat(5_000_000)}\ud800` }, "more than 4 MB"],
    ["text as a key", { ["x".repeat(5_000_000)]: 1 }, "more than 4 MB"],
  ])("with too many or too much is refused, and kept as it came: %s", (_what, params, problem) => {
    const message = { id: 7, method: "any", params };
    const refused = readLongLine(line(message));
    expect(refused).toMatchObject({ type: "refused", head: { id: 7, method: "any" } });
    if (refused.type !== "refused") return;
    expect(refused.problem).toContain(problem);
    expect(Buffer.from(refused.text.bytes).equals(line(message))).toBe(true);
  });

  it("that is refused says which request it answers", () => {
    const answer = { id: "a-1", result: Array.from({ length: 60_000 }, () => 1) };
    expect(readLongLine(line(answer))).toMatchObject({ type: "refused", head: { id: "a-1" } });
  });
});

describe("a long chunk of text", () => {
  const chunk = (text: string, more: object = {}) =>
    update({ sessionUpdate: "agent_message_chunk", messageId: "m", content: { type: "text", text, ...more } });
  const partsOf = (message: object) => {
    const parsed = read(message);
    return parsed === null ? null : splitChunk(parsed);
  };

  it("comes in parts that are the whole, and no character is split", () => {
    const parts = [...(partsOf(chunk(long, { annotations: { priority: 1 } })) ?? [])];
    const texts = parts.map(({ message }) => {
      const { update: fields } = JSON.parse(JSON.stringify(message.params));
      expect(fields).toMatchObject({ messageId: "m", content: { annotations: { priority: 1 } } });
      return String(fields.content.text);
    });
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.every((text) => text.isWellFormed() && text.length <= 48 * 1024)).toBe(true);
    expect(texts.join("")).toBe(long);
  });

  it("is one line where it is shorter, or something else", () => {
    expect(partsOf(chunk("x".repeat(500_000)))).toBeNull();
    expect(partsOf(update(output))).toBeNull();
  });
});
