// Tests the connection before the SDK: it answers immediately, queues early messages, and survives bad input.
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { EarlyConnection } from "./early-connection.ts";

function openEarly() {
  const input = new PassThrough();
  const written: string[] = [];
  let flushed = 0;
  const output = {
    write: (line: string) => {
      written.push(line);
      return undefined;
    },
    flush: () => {
      flushed = written.length;
    },
  };
  const early = new EarlyConnection({ input, output, version: "1.2.3" });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answers = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { early, input, send, answers, flushed: () => flushed };
}

const initialize = (rest: object = {}) => ({ id: 0, method: "initialize", params: { protocolVersion: 1, ...rest } });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the front early", () => {
  it("answers initialize, sends the answer off, and says what the client can do; only a clear yes is one", async () => {
    const { early, send, answers, flushed } = openEarly();
    const capabilities = {
      fs: { readTextFile: true, writeTextFile: "yes" },
      terminal: 1,
      session: { notices: {}, compaction: null },
      elicitation: { form: {}, url: true },
      _meta: { x: 1 },
    };
    send(initialize({ clientCapabilities: capabilities }));
    expect(await early.initialized).toEqual({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
      session: { notices: {} },
      elicitation: { form: {} },
      _meta: { x: 1 },
    });
    expect(answers()).toMatchObject([{ id: 0, result: { protocolVersion: 1, agentInfo: { version: "1.2.3" } } }]);
    expect(flushed()).toBe(1);
  });

  it("keeps what comes before somebody listens, in order", async () => {
    const { early, send } = openEarly();
    send(initialize());
    send({ id: 1, method: "session/list" });
    send({ method: "session/cancel", params: {} });
    await settled();
    const reader = early.connect().readable.getReader();
    expect((await reader.read()).value).toMatchObject({ id: 1 });
    expect((await reader.read()).value).toMatchObject({ method: "session/cancel" });
    send({ id: 2, method: "session/list" });
    expect((await reader.read()).value).toMatchObject({ id: 2 });
  });

  it("ends once, whichever side ends first", async () => {
    const { early, input, send } = openEarly();
    send(initialize());
    await settled();
    const reader = early.connect().readable.getReader();
    await reader.cancel();
    send({ id: 1, method: "session/list" });
    input.end();
    await settled();
    early.end();
    const closed = openEarly();
    closed.input.end();
    expect(await closed.early.initialized).toBeNull();
    expect((await closed.early.connect().readable.getReader().read()).done).toBe(true);
  });

  it("skips blank lines and accepts a carriage return at the end of a line", async () => {
    const { early, input, answers } = openEarly();
    input.write(`\n  \n\r\n${JSON.stringify({ jsonrpc: "2.0", ...initialize() })}\r\n`);
    expect(await early.initialized).not.toBeNull();
    expect(answers()).toMatchObject([{ id: 0, result: { protocolVersion: 1 } }]);
  });

  it("drops a line that is longer than anything, answers the sender, and goes on", async () => {
    const { input, send, answers } = openEarly();
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    const starts = [
      "",
      '{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":"',
      '{ "method" : "session/prompt" , "id" : "a-1" , "params" : "',
      '{"params":{"id":3,"text":"',
      '{"jsonrpc":"2.0","id":7,"result":"',
    ];
    for (const start of starts) {
      for (const letter of start) input.write(letter);
      for (let index = 0; index < 33; index++) input.write(megabyte);
      input.write("\n");
    }
    send(initialize());
    await expect.poll(() => answers().length).toBe(6);
    expect(answers()).toMatchObject([
      ...[null, 7, "a-1", null, null].map((id) => ({ id, error: { code: -32_600 } })),
      { id: 0, result: {} },
    ]);
  });
});
