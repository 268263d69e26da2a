// An ACP agent for benchmarks: its prompt is JSON that says how many chunks, how fast, how long, or how big an output.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const chunk = (sessionId, text) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${JSON.stringify(text)}}}}}\n`;

/** Nanoseconds on the clock that every process of this machine shares. */
const now = () => process.hrtime.bigint();

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps, more finely than timers do: an agent that spins would take one of the cores from those that are measured. */
function sleepUntil(due) {
  for (let left = due - now(); left > 0n; left = due - now()) Atomics.wait(cell, 0, 0, Number(left) / 1e6);
}

async function stream(sessionId, { chunks = 0, perSecond = 0, text = "word " }) {
  if (perSecond === 0) {
    const line = chunk(sessionId, text);
    for (let sent = 0; sent < chunks; sent += 1000) {
      const block = line.repeat(Math.min(1000, chunks - sent));
      if (!process.stdout.write(block)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
    return;
  }
  const start = now();
  for (let sent = 0; sent < chunks; sent++) {
    const due = start + BigInt(Math.round((sent * 1e9) / perSecond));
    sleepUntil(due);
    await write(chunk(sessionId, `${now()} `));
  }
}

/** Writes immediately, or as soon as the reader has made room. */
async function write(line) {
  for (let rest = Buffer.from(line); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function output(sessionId, { megabytes, first = "" }) {
  const text = first + "0123456789abcdef".repeat(megabytes * 65_536);
  const content = [{ type: "content", content: { type: "text", text } }];
  const update = { sessionUpdate: "tool_call", toolCallId: "big", title: "Big", status: "completed", content };
  send({ method: "session/update", params: { sessionId, update } });
}

/** Updates of tool calls with `size` bytes of output each, a hundred updates per call. */
async function tools(sessionId, { updates, size = 2048 }) {
  const words = "the register keeps what an agent did and shows it in the order in which it came";
  for (let index = 0; index < updates; index++) {
    const toolCallId = `call-${prompts}-${Math.floor(index / 100)}`;
    const announcement = {
      sessionUpdate: "tool_call",
      toolCallId,
      title: "npm test",
      kind: "execute",
      status: "in_progress",
    };
    const text = `line ${index}: ${words}\n`.repeat(Math.ceil(size / 80)).slice(0, size);
    const status = index % 100 === 99 ? "completed" : "in_progress";
    const content = [{ type: "content", content: { type: "text", text } }];
    const update =
      index % 100 === 0 ? announcement : { sessionUpdate: "tool_call_update", toolCallId, status, content };
    const line = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
    if (!process.stdout.write(`${line}\n`)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

createInterface({ input: process.stdin }).on("line", (line) => void answer(JSON.parse(line)));

let prompts = 0;
async function answer({ id, method, params }) {
  if (method === "initialize") return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") return send({ id, result: { sessionId: "bench" } });
  if (method !== "session/prompt") return;
  prompts++;
  const order = JSON.parse(params.prompt.at(-1).text);
  if (order.megabytes) output(params.sessionId, order);
  else if (order.updates) await tools(params.sessionId, order);
  else await stream(params.sessionId, order);
  send({ id, result: { stopReason: "end_turn" } });
}
