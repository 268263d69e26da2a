// What a benchmark file gets and what a run of it yields: figures with a target, compared within one run.
import { homedir, tmpdir } from "node:os";

/** One measured figure. `target` is the most it may be; a ratio names its baseline in the title. */
interface Figure {
  readonly title: string;
  readonly value: number;
  readonly unit: "x" | "ms" | "MB" | "/s" | "count";
  /** "at most" unless `atLeast` is set. */
  readonly target?: number;
  readonly atLeast?: boolean;
  /** What stood beside it: the baseline's own figure, sizes, counts. */
  readonly note?: string;
}

export type Report = (figure: Figure) => void;

/** The default export of a `*.bench.ts` file. */
export type Benchmark = (report: Report) => Promise<void> | void;

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  if (value === undefined) throw new Error("quantile of nothing");
  return value;
}

/** Milliseconds that `work` took. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * A home inside the temp folder, as some build machines have it, makes each command in the sandbox milliseconds slower (docs/sandbox.md):
 * its secrets are then in a writable place and must be kept from being made. People's homes are elsewhere.
 */
export function usualHome(): string {
  return homedir().startsWith(`${tmpdir()}/`) ? "/home/somebody" : homedir();
}
