import { isJsonObject, type Json } from "@signalbox/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { slow } from "../testing/temporary-register.ts";
import { AgentLineParser } from "./agent-line.ts";
import { isLongText, parseSource } from "./long-text.ts";

const long = 'He said "hello" \\ zürich 😀\n'.repeat(4000);
const update = (fields: object, more: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: fields }, ...more });
const textBlock = (text: string) => [{ type: "content", content: { type: "text", text } }];
const parse = (line: string, parser = new AgentLineParser()) => parser.parse(Buffer.from(line));

/** The source with its texts put back. */
function whole(line: string): Json {
  const { source } = parse(line) ?? {};
  if (source === undefined) throw new Error("there is no source");
  const texts = new Map(source.texts.map(({ hash, bytes }) => [hash, Buffer.from(bytes).toString("utf8")]));
  const putBack = (value: Json): Json => {
    if (isLongText(value)) return texts.get(value.blob) ?? "?";
    if (Array.isArray(value)) return value.map(putBack);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, putBack(field ?? null)]));
  };
  return putBack(parseSource(source));
}

describe("a line of an agent", slow, () => {
  it("is what JSON says, and null where it is no message", () => {
    expect(parse('{"id":1,"result":{}}')?.message).toEqual({ id: 1, result: {} });
    for (const junk of ["[1]", "null", "7", "hello", "{", `{"a":"${"x".repeat(200_000)}`])
      expect(parse(junk)).toBeNull();
    for (const bad of ["\u0001", "\\x", "\\u12", "\\"])
      expect(parse(`{"a":"${"x".repeat(100_000)}${bad}"}`), bad).toBeNull();
  });

  it.each([
    ["as agents write it", '{"jsonrpc":"2.0","method":"session/update","params":PARAMS}'],
    ["with spaces", '{"jsonrpc": "2.0", "method": "session/update", "params": PARAMS }'],
    ["with params first", '{"params":PARAMS,"method":"session/update","extra":{"params":{}}}'],
    ["with an id", '{"id":"a-1","jsonrpc":"2.0","params":PARAMS,"method":"session/update"}'],
  ])("%s gives its params as they were written", (_how, shape) => {
    const params = '{"sessionId":"s","big":12345678901234567890,"a":1,"a":2,"text":"a \\"}{\\" b\\\\"}';
    const parser = new AgentLineParser();
    for (let time = 0; time < 2; time++) {
      const parsed = parse(shape.replace("PARAMS", params), parser);
      expect(parsed?.source).toEqual({ json: params, refs: [], texts: [] });
      expect(parsed?.message.params).toEqual(JSON.parse(params));
    }
  });

  it.each([
    ["params twice", '{"method":"session/update","params":{"a":1},"params":{"b":2}}'],
    ["params inside something else", '{"_meta":{"params":{"wrong":1}},"params":{"b":2}}'],
    ["no object", '{"method":"session/update","params":[1]}'],
  ])("with %s has no source", (_what, line) => {
    expect(parse(line)).toMatchObject({ message: JSON.parse(line), source: undefined });
  });

  it("is read on its own also where it begins and ends like the line before", () => {
    const parser = new AgentLineParser();
    const shape = (params: string, tail = "}") => `{"method":"zürich","params":${params}${tail}`;
    const texts = ['{"a":"é😀"}', '{"a":1},"params":{"b":2}', "[1]", "7", "{}", "", '{"a":1', '{"a":"}"}'];
    for (const line of [shape('{"a":0}'), ...texts.map((text) => shape(text)), shape('{"a":1}', ',"id":1}'), "}"]) {
      expect(parse(line, parser), line).toEqual(parse(line));
    }
  });

  it("leaves what a tool put out to the source when it is long; everything else is whole", () => {
    const fields = {
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "t",
      rawInput: { command: "ls", stdin: long },
    };
    const line = update({ ...fields, content: textBlock(long), rawOutput: { file: long } });
    const { message, source } = parse(line) ?? {};
    expect(JSON.stringify(message?.params).length).toBeLessThan(JSON.stringify(long).length + 1000);
    expect(message).toMatchObject({ method: "session/update", params: { sessionId: "s", update: fields } });
    expect(source?.json.length).toBeLessThan(1000);
    expect(source?.refs).toEqual([
      "/update/rawInput/stdin",
      "/update/content/0/content/text",
      "/update/rawOutput/file",
    ]);
    expect(whole(line)).toEqual(JSON.parse(line).params);
  });

  it("is whole when it is a request or an answer", () => {
    const write = { id: 3, method: "fs/write_text_file", params: { path: "/a", content: long } };
    expect(parse(JSON.stringify(write))).toEqual({ message: write, update: null, source: undefined });
    const answer = { id: 4, result: { text: long } };
    expect(parse(JSON.stringify(answer))).toEqual({ message: answer, update: null, source: undefined });
  });

  it("keeps as ordinary data what looks like a reference", () => {
    const forged = { $blob: "0".repeat(64), size: 70_000 };
    const line = update({
      sessionUpdate: "tool_call",
      toolCallId: "c",
      content: [forged],
      rawOutput: { forged, long },
    });
    expect(parse(line)?.source?.refs).toEqual(["/update/rawOutput/long"]);
    expect(whole(line)).toEqual(JSON.parse(line).params);
  });

  it("keeps a long string that bytes cannot hold", () => {
    const line = update({ sessionUpdate: "tool_call", toolCallId: "c", rawOutput: `\ud83d${long}` });
    expect(parse(line)?.source).toEqual({ json: JSON.stringify(JSON.parse(line).params), refs: [], texts: [] });
  });

  it("comes back as it was sent, whatever its keys and strings", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", "/~", "\u2028", "}]{[", "\ud83d\ude00"),
    );
    const text = fc
      .tuple(piece, fc.constantFrom(1, 1, 40_000))
      .map(([part, times]) => part.repeat(times).slice(0, 90_000));
    const spelling = fc.constantFrom(
      (json: string) => json,
      (json: string) =>
        json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
      (json: string) => json.replaceAll("/", "\\/"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, text), { maxLength: 4 }), spelling, (pairs, spell) => {
        const rawOutput = pairs.map(([key, value]) => ({ [key]: value, list: [1, { [key]: [value] }] }));
        const line = spell(update({ sessionUpdate: "tool_call", toolCallId: "c", rawOutput }));
        expect(whole(line)).toEqual(JSON.parse(line).params);
      }),
      { numRuns: rounds({ some: 8, all: 60 }) },
    );
  });
});
