// What the library adds to a call: 10,000 wrapped calls of an empty tool against the same notifications sent by hand, both over the
// SDK's own connection and NDJSON stream, into a sink.
import { type AgentContext, agent, ndJsonStream, type SessionUpdate } from "@agentclientprotocol/sdk";
import { type Benchmark, median, timed } from "../../../test/bench/bench.ts";
import { AlwaysAllowPermissionHandler, ToolCallTracker, withToolCalls, wrapClient } from "../src/index.ts";

const calls = 10_000;
const rounds = 7;
const sessionId = "bench";

function connect(): AgentContext {
  const input = new ReadableStream<Uint8Array>();
  const output = new WritableStream<Uint8Array>();
  return agent({ name: "bench" }).connect(ndJsonStream(output, input)).client;
}

async function byHand(context: AgentContext): Promise<void> {
  const notify = (update: SessionUpdate) => context.notify("session/update", { sessionId, update });
  for (let i = 0; i < calls; i++) {
    const toolCallId = `call_${i}`;
    await notify({
      sessionUpdate: "tool_call",
      toolCallId,
      title: "Read `a.ts`",
      name: "read_file",
      kind: "read",
      status: "pending",
      rawInput: { path: "a.ts" },
      locations: [{ path: "/project/a.ts" }],
    });
    await notify({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    await emptyTool();
    await notify({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
  }
}

async function wrapped(context: AgentContext): Promise<void> {
  const tracker = new ToolCallTracker({ client: wrapClient(context), sessionId, cwd: "/project" });
  const permissions = new AlwaysAllowPermissionHandler(() => undefined);
  const callTool = withToolCalls(emptyTool, { tracker, permissions });
  for (let i = 0; i < calls; i++) await callTool("read_file", { path: "a.ts" });
}

const emptyTool = async () => undefined;

const benchmark: Benchmark = async (report) => {
  const hand: number[] = [];
  const library: number[] = [];
  // One round of each to warm up, then in turns.
  for (let round = 0; round <= rounds; round++) {
    const handMs = await timed(() => byHand(connect()));
    const libraryMs = await timed(() => wrapped(connect()));
    if (round === 0) continue;
    hand.push(handMs);
    library.push(libraryMs);
  }
  report({
    title: "tool-calls: 10,000 wrapped calls of an empty tool / the same notifications by hand",
    value: median(library) / median(hand),
    unit: "x",
    target: 3,
    note: `${perCall(median(library))} a call, by hand ${perCall(median(hand))}`,
  });
};

function perCall(ms: number): string {
  return `${((ms * 1000) / calls).toFixed(1)} µs`;
}

export default benchmark;
