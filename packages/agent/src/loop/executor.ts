// Runs the tool calls of one answer. Consecutive calls that only read run in parallel, all others one after the other.
import { untilAborted } from "@signalbox/tool-calls";
import type { ToolResultPart } from "../providers/model.ts";
import { findTool } from "./find-tool.ts";
import { runCall } from "./run-call.ts";
import type { AskedCall, Turn } from "./turn.ts";

/** Calls `done` with each result when it is there. Rejects when the turn is cancelled, without waiting for any tool. */
export async function runCalls(
  calls: readonly AskedCall[],
  turn: Turn,
  done: (call: AskedCall, result: ToolResultPart) => void,
): Promise<void> {
  const tools = turn.tools.list();
  const isReading = (call: AskedCall) => findTool(tools, call.name)?.readOnly ?? true;
  for (const group of groups(calls, isReading)) {
    turn.signal.throwIfAborted();
    await Promise.all(
      group.map(async (call) => {
        const run = () => runCall(call, tools, turn);
        done(call, isReading(call) ? await run() : await runAlone(run, turn));
      }),
    );
  }
}

/** A cancelled turn does not wait for the work before it. */
async function runAlone<Result>(run: () => Promise<Result>, { tools, signal }: Turn): Promise<Result> {
  const result = tools.changes.run(() => {
    signal.throwIfAborted();
    return run();
  });
  return await untilAborted(result, signal);
}

/** Consecutive calls that may run in parallel form a group; each of the others is alone. */
function groups(
  calls: readonly AskedCall[],
  mayRunInParallel: (call: AskedCall) => boolean,
): readonly (readonly AskedCall[])[] {
  const all: AskedCall[][] = [];
  let inParallel = false;
  for (const call of calls) {
    const joins = mayRunInParallel(call);
    if (joins && inParallel) all.at(-1)?.push(call);
    else all.push([call]);
    inParallel = joins;
  }
  return all;
}
