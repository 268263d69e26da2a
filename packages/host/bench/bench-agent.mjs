// An ACP agent for benchmarks: its prompt is JSON that says how many chunks, how fast, how long, or how big an output.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const chunk = (sessionId, text) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${JSON.stringify(text)}}}}}\n`;

/** Nanoseconds on the clock that every process of this machine shares. */
const now = () => process.hrtime.bigint();

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
    while (now() < due) await new Promise((resolve) => setImmediate(resolve));
    writeSync(1, chunk(sessionId, `${now()} `));
  }
}

function output(sessionId, { megabytes, first = "" }) {
  const text = first + "0123456789abcdef".repeat(megabytes * 65_536);
  const content = [{ type: "content", content: { type: "text", text } }];
  const update = { sessionUpdate: "tool_call", toolCallId: "big", title: "Big", status: "completed", content };
  send({ method: "session/update", params: { sessionId, update } });
}

createInterface({ input: process.stdin }).on("line", (line) => void answer(JSON.parse(line)));

async function answer({ id, method, params }) {
  if (method === "initialize") return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") return send({ id, result: { sessionId: "bench" } });
  if (method !== "session/prompt") return;
  const order = JSON.parse(params.prompt.at(-1).text);
  if (order.megabytes) output(params.sessionId, order);
  else await stream(params.sessionId, order);
  send({ id, result: { stopReason: "end_turn" } });
}
