// Reads what is asked of `stats`: the span of time, the groups, where a day begins. The register and the shared database count by it.
import type { QueryArgs } from "./requests/index.ts";

const dayMs = 24 * 60 * 60 * 1000;
const defaultSpanMs = 30 * dayMs;
const defaultGroups = ["day", "agent_id", "kind"] as const;

type Group = NonNullable<QueryArgs<"stats">["group_by"]>[number];
export type StatsGroupName = Exclude<Group, "path">;

export interface StatsScope {
  readonly since: number;
  readonly until: number;
  readonly agentId: string | null;
  /** Added to a time before its day is taken. */
  readonly offsetMs: number;
  readonly groups: ReadonlySet<StatsGroupName>;
  /** By file, and then by nothing else. */
  readonly isByPath: boolean;
}

/** The span of time that is asked for: the last 30 days unless said otherwise. */
export function chooseSpan(args: Pick<QueryArgs<"stats">, "since" | "until">, now: number) {
  const until = args.until ?? now;
  return { since: args.since ?? until - defaultSpanMs, until };
}

/** Null when paths are asked for together with another group, which cannot be counted. */
export function statsScope(args: QueryArgs<"stats">, now: number): StatsScope | null {
  const wanted: readonly Group[] = args.group_by ?? defaultGroups;
  const groups = new Set(wanted.filter((group) => group !== "path"));
  const isByPath = wanted.includes("path");
  if (isByPath && groups.size > 0) return null;
  return {
    ...chooseSpan(args, now),
    agentId: args.agent_id ?? null,
    offsetMs: Math.round(args.utc_offset_minutes ?? 0) * 60_000,
    groups,
    isByPath,
  };
}
