// Sums up figures by tool. Its size depends on the number of tools, not of calls.
import type { SettledReport } from "./tool-call.ts";

export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly completed: number;
  readonly failed: number;
  readonly denied: number;
  readonly cancelled: number;
  /** Of the calls that ran, in milliseconds. */
  readonly totalMs: number;
  readonly maxMs: number;
  /** Milliseconds that calls waited before they ran, mostly for permission. */
  readonly waitedMs: number;
  readonly inputSize: number;
  readonly outputSize: number;
}

export class ToolCallStats {
  readonly #byTool = new Map<string, ToolStats>();

  /** Hand it to a tracker: `onSettled: stats.add`. */
  readonly add = (report: SettledReport): void => {
    const before = this.#byTool.get(report.name) ?? emptyStats(report.name);
    this.#byTool.set(report.name, {
      ...before,
      calls: before.calls + 1,
      [report.outcome]: before[report.outcome] + 1,
      totalMs: before.totalMs + report.durationMs,
      maxMs: Math.max(before.maxMs, report.durationMs),
      waitedMs: before.waitedMs + report.waitedMs,
      inputSize: before.inputSize + report.inputSize,
      outputSize: before.outputSize + report.outputSize,
    });
  };

  of(name: string): ToolStats {
    return this.#byTool.get(name) ?? emptyStats(name);
  }

  /** The tools by how often they were called. */
  all(): ToolStats[] {
    return [...this.#byTool.values()].toSorted((a, b) => b.calls - a.calls || a.name.localeCompare(b.name));
  }
}

function emptyStats(name: string): ToolStats {
  const nothing = { calls: 0, completed: 0, failed: 0, denied: 0, cancelled: 0 };
  return { name, ...nothing, totalMs: 0, maxMs: 0, waitedMs: 0, inputSize: 0, outputSize: 0 };
}
