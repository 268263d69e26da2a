// Compares this machine's clock with the database's: a command is refused by its age, so clocks must agree.
import type { SharedConnection } from "./connection.ts";
import { readInteger } from "./fields.ts";

/** Commands that are older than five minutes, or a minute ahead, are refused: clocks must agree better than this. */
const maxSkewMs = 30_000;

/** How many ms this machine's clock is ahead of the database's. */
export async function measureClockSkew(connection: SharedConnection, now: () => number = Date.now): Promise<number> {
  const before = now();
  const [row] = await connection.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS clock");
  return (before + now()) / 2 - readInteger(row, "clock");
}

/** Null when the clocks agree well enough. */
export function describeClockProblem(skewMs: number): string | null {
  if (Math.abs(skewMs) <= maxSkewMs) return null;
  const direction = skewMs > 0 ? "ahead of" : "behind";
  return `this machine's clock is ${toSeconds(skewMs)} s ${direction} the database's. Set it: commands between machines are refused when clocks differ.`;
}

export function toSeconds(ms: number): number {
  return Math.abs(Math.round(ms / 100) / 10);
}
