// Finds the locations of a call: every path among its arguments with its line, and the lines that an edit changed.
import type { ToolCallLocation } from "@agentclientprotocol/sdk";
import { absolutePath, pathArguments } from "./path-arguments.ts";

const maxLocations = 100;

/**
 * Every path in the arguments, also in lists of paths (`paths`) and of changes (`edits: [{ path, line }]`), the first hundred. With
 * `cwd` the paths come out absolute, as ACP wants them.
 */
export function findLocations(args: unknown, cwd?: string): ToolCallLocation[] {
  const found = new Map<string, ToolCallLocation>();
  for (const argument of pathArguments(args)) {
    if (found.size === maxLocations) break;
    if (!argument.looksLikePath) continue;
    const { line } = argument;
    const path = cwd === undefined ? argument.path : absolutePath(argument.path, cwd);
    found.set(`${line ?? ""}:${path}`, line === undefined ? { path } : { path, line });
  }
  return [...found.values()];
}

const lookAhead = 100;
const maxHunks = 50;

/** One location for each place in `after` where an edit changed something, by its first line. */
export function changedLocations(path: string, before: string | null | undefined, after: string): ToolCallLocation[] {
  const old = before === null || before === undefined ? [] : before.split("\n");
  const now = after.split("\n");
  const locations: ToolCallLocation[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++;
      j++;
      continue;
    }
    locations.push({ path, line: Math.min(j + 1, now.length) });
    if (locations.length === maxHunks) break;
    const met = nextMeeting(old, now, i, j);
    if (met === undefined) break;
    [i, j] = met;
  }
  return locations;
}

/** The nearest pair of equal lines after a difference, within a bound: beyond it the rest counts as one change. */
function nextMeeting(
  old: readonly string[],
  now: readonly string[],
  i: number,
  j: number,
): [number, number] | undefined {
  for (let distance = 1; distance <= lookAhead; distance++) {
    for (let skipped = 0; skipped <= distance; skipped++) {
      const a = i + skipped;
      const b = j + distance - skipped;
      if (a < old.length && b < now.length && old[a] === now[b]) return [a, b];
    }
  }
  return undefined;
}
