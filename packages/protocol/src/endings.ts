// Says how a turn and a command ended, alike on the page and in a terminal.
import type { TerminalRow } from "./tables.ts";

/** Why a turn ended, for the end of a sentence. A reason that is not known is given as the agent named it. */
export function stopReasonText(stopReason: string): string {
  switch (stopReason) {
    case "cancelled":
      return "it was cancelled";
    case "refusal":
      return "the agent refused to go on";
    case "max_tokens":
      return "the answer reached the model's length limit";
    case "max_turn_requests":
      // Most agents mean their limit of requests, ours also a budget and calls that repeat: its notice says which.
      return "the agent reached one of its limits";
    default:
      return stopReason;
  }
}

/** "running", "exit 1", "ended by SIGKILL". */
export function terminalEnding(row: Pick<TerminalRow, "exit_code" | "signal" | "ended_at">): string {
  return row.ended_at === null ? "running" : commandEnding(row);
}

/** The same of one that has ended. */
export function commandEnding({ exit_code, signal }: Pick<TerminalRow, "exit_code" | "signal">): string {
  if (signal !== null) return `ended by ${signal}`;
  return exit_code === null ? "ended; its exit code is not known" : `exit ${exit_code}`;
}
