// Reads a plan as stations of a line: those passed, the one the agent is at, those to come.
import type { PlanEntry } from "@signalbox/protocol";

interface PlanStations {
  readonly stations: readonly ("passed" | "current" | "ahead")[];
  /** The step that the agent is at, else the next one; null when all are done. */
  readonly step: string | null;
  /** "4 of 5": the number of that step. */
  readonly position: string;
}

export function readStations(entries: readonly PlanEntry[]): PlanStations {
  const started = entries.findIndex(({ status }) => status === "in_progress");
  const current = started >= 0 ? started : entries.findIndex(({ status }) => status !== "completed");
  return {
    stations: entries.map(({ status }) =>
      status === "completed" ? "passed" : status === "in_progress" ? "current" : "ahead",
    ),
    step: entries[current]?.content ?? null,
    position: `${current < 0 ? entries.length : current + 1} of ${entries.length}`,
  };
}
