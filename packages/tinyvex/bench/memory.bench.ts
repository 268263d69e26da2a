// Memory: what one huge output adds at the peak, and what remains after many threads and items.
import { join } from "node:path";
import { readUpdate } from "@signalbox/protocol";
import type { Benchmark } from "../../../test/bench/bench.ts";
import { AgentLineParser, openRegister } from "../src/index.ts";
import { fact, says, toolCall } from "../src/testing/entries.ts";
import { newFolder, newThread } from "./agent-stream.ts";

const MB = 1024 * 1024;

const benchmark: Benchmark = async (report) => {
  const folder = newFolder();
  const register = await openRegister({ path: join(folder.path, "register.db") });
  const threadId = await newThread(register);
  register.append(threadId, says("warm"));
  register.append(threadId, toolCall("warm", { status: "completed", rawOutput: "x".repeat(100_000) }));
  await register.settled(threadId);

  // The line's bytes are the host's; what parsing and the register add to them is ours.
  const line = bigLine('one line of a very long output, with \\"quotes\\" in it\\n', (50 * MB) / 55);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const peakBefore = process.resourceUsage().maxRSS * 1024;
  const parsed = new AgentLineParser().parse(line);
  register.append(threadId, { type: "update", update: parsed?.update ?? readUpdate(null), source: parsed?.source });
  await register.settled(threadId);
  const peak = process.resourceUsage().maxRSS * 1024;
  report({
    title: "One output of 50 MB: memory that the register adds at the peak",
    value: Math.max(0, peak - Math.max(before, peakBefore)) / MB,
    unit: "MB",
    target: 100,
    note: `the process had ${Math.round(before / MB)} MB with the line, ${Math.round(peakBefore / MB)} MB at most before, ${Math.round(peak / MB)} MB at most after`,
  });

  const start = process.memoryUsage.rss();
  for (let index = 0; index < 800; index++) {
    register.append(
      threadId,
      fact({ type: "terminal_output", terminal_id: "t", text: `${index} `.padEnd(64 * 1024, "output ") }),
    );
    if (index % 20 === 0) await register.settled(threadId);
  }
  register.append(threadId, fact({ type: "terminal_ended", terminal_id: "t", exit_code: 0, signal: null }));
  await register.settled(threadId);
  report({
    title: "50 MB of terminal output in pieces: memory more than before",
    value: Math.max(0, process.memoryUsage.rss() - start) / MB,
    unit: "MB",
    target: 100,
  });

  await manyThreads(register, 500);
  const few = heap();
  await manyThreads(register, 10_000);
  report({
    title: "10,000 more threads with 100,000 more items: memory that stays",
    value: (heap() - few) / MB,
    unit: "MB",
    target: 8,
    note: "used heap after garbage collection",
  });
  await register.close();
  folder.remove();
};

/** Never a string, whose memory would hide what is measured. */
function bigLine(escaped: string, times: number): Buffer {
  const content = [{ type: "content", content: { type: "text", text: "TEXT" } }];
  const update = { sessionUpdate: "tool_call", toolCallId: "big", title: "cat", status: "completed", content };
  const message = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });
  const [head = "", tail = ""] = message.split("TEXT");
  const end = head.length + Math.floor(times) * escaped.length;
  const line = Buffer.alloc(end + tail.length);
  line.write(head);
  line.fill(escaped, head.length, end);
  line.write(tail, end);
  return line;
}

async function manyThreads(register: Awaited<ReturnType<typeof openRegister>>, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { id } = await register.createThread({ agent_id: "bench", cwd: `/work/${index}` });
    for (let item = 0; item < 5; item++) {
      register.append(id, says(`answer ${item} `));
      register.append(id, toolCall(`t${item}`, { status: "completed", rawInput: { path: `/a/${item}` } }));
    }
    if (index % 50 === 0) await register.settled(id);
  }
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

export default benchmark;
