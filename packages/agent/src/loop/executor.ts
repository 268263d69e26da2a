// Runs the calls of one answer: check, describe, permit, run within its time, cut, report. What only reads runs side by side with its
// neighbours, everything else alone and in order.
import type { ToolResultPart } from "../providers/model.ts";
import { runCall } from "./run-call.ts";
import type { AskedCall, TurnInput } from "./turn.ts";

/** `done` gets each result as soon as it is there. Rejects when the turn is cancelled, without waiting for any tool. */
export async function runCalls(
  calls: readonly AskedCall[],
  input: TurnInput,
  done: (call: AskedCall, result: ToolResultPart) => void,
): Promise<void> {
  const tools = new Map(input.tools().map((tool) => [tool.name, tool]));
  for (const group of groups(calls, (call) => tools.get(call.name)?.readOnly ?? true)) {
    input.signal.throwIfAborted();
    await Promise.all(group.map(async (call) => done(call, await runCall(call, tools, input))));
  }
}

/** Neighbours that may run side by side, together; each of the others alone. */
function groups(
  calls: readonly AskedCall[],
  mayRunBeside: (call: AskedCall) => boolean,
): readonly (readonly AskedCall[])[] {
  const all: AskedCall[][] = [];
  let beside = false;
  for (const call of calls) {
    const joins = mayRunBeside(call);
    if (joins && beside) all.at(-1)?.push(call);
    else all.push([call]);
    beside = joins;
  }
  return all;
}
