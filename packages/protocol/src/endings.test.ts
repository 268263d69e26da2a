import { expect, it } from "vitest";
import { stopReasonText, terminalEnding } from "./endings.ts";

it.each([
  [{ exit_code: null, signal: null, ended_at: null }, "running"],
  [{ exit_code: 1, signal: null, ended_at: 5 }, "exit 1"],
  [{ exit_code: null, signal: "SIGKILL", ended_at: 5 }, "ended by SIGKILL"],
  [{ exit_code: null, signal: null, ended_at: 5 }, "ended; its exit code is not known"],
])("a command %j: %s", (row, text) => {
  expect(terminalEnding(row)).toBe(text);
});

it("a turn that ended for a reason of the agent's own", () => {
  expect(["max_tokens", "pause_turn"].map(stopReasonText)).toEqual([
    "the answer reached the model's length limit",
    "pause_turn",
  ]);
});
