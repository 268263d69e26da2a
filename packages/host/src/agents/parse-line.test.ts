import { describe, expect, it } from "vitest";
import { parseLine } from "./parse-line.ts";

const big = 'He said "hello"\n'.repeat(200_000);
const line = (update: object, more: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update }, ...more });
const shown = (text: string) => [{ type: "content", content: { type: "text", text } }];

describe("a line of an agent as a message", () => {
  it("is what JSON says, and null where it is no message", () => {
    expect(parseLine('{"id":1,"result":{}}')).toEqual({ id: 1, result: {} });
    for (const junk of ["[1]", "null", "7", "hello", "{"]) expect(parseLine(junk)).toBeNull();
    expect(parseLine(`{"a":"${"x".repeat(2_000_000)}`)).toBeNull();
  });

  it("has what a tool showed only in the line when that is huge; all else is whole", () => {
    const update = { sessionUpdate: "tool_call", toolCallId: "c", title: "t", rawInput: { command: "ls" } };
    const message = parseLine(line({ ...update, content: shown(big), rawOutput: big }));
    expect(JSON.stringify(message).length).toBeLessThan(500);
    expect(message).toMatchObject({ method: "session/update", params: { sessionId: "s", update } });
  });

  it.each([
    ["a message's text", { sessionUpdate: "agent_message_chunk", content: { type: "text", text: big } }],
    ["a tool call's input", { sessionUpdate: "tool_call", toolCallId: "c", rawInput: { command: big } }],
    ["a title", { sessionUpdate: "tool_call_update", toolCallId: "c", title: big, content: shown(big) }],
    ["an unknown kind", { sessionUpdate: "hologram", content: shown(big) }],
  ])("is whole when %s is huge", (_what, update) => {
    expect(parseLine(line(update))).toEqual(JSON.parse(line(update)));
  });

  it("is whole where the register could not take the params from the line", () => {
    const odd = `{"extra":{"params":1},"method":"session/update","params":${JSON.stringify({
      sessionId: "s",
      update: { sessionUpdate: "tool_call", toolCallId: "c", content: shown(big) },
    })}}`;
    expect(parseLine(odd)).toEqual(JSON.parse(odd));
  });
});
