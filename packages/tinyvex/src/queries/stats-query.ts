// `stats`: what the charts draw, per day, agent, kind of tool and tool, exact, over the calls and turns that ended in a span of
// time (the last 30 days unless said otherwise). By path: see path-stats-query.ts.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, StatsRow } from "@signalbox/protocol";
import { integer, integerOrNull, type Row, textOrNull } from "../database/row.ts";
import { RegisterError } from "../register.ts";
import { limitOf } from "./arguments.ts";
import { pathStats } from "./path-stats-query.ts";

const dayMs = 24 * 60 * 60 * 1000;
const defaultDays = 30;
const defaultGroups = ["day", "agent_id", "kind"] as const;

type Group = Exclude<NonNullable<QueryArgs<"stats">["group_by"]>[number], "path">;

export function statsQuery(database: DatabaseSync, now: () => number) {
  return (args: QueryArgs<"stats">): { readonly rows: readonly StatsRow[] } => {
    const until = args.until ?? now();
    const since = args.since ?? until - defaultDays * dayMs;
    const agentId = args.agent_id ?? null;
    const wanted = args.group_by ?? defaultGroups;
    const groups = new Set(wanted.filter((group) => group !== "path"));
    if (groups.size < new Set(wanted).size) {
      if (groups.size > 0) throw new RegisterError("bad_request", 'group_by must be ["path"] alone, or without path.');
      return pathStats(database, { since, until, agentId, limit: limitOf(args) });
    }
    const offset = Math.round(args.utc_offset_minutes ?? 0) * 60_000;
    const run = (sql: string) => database.prepare(sql).all(offset, since, until, agentId);
    return { rows: [...run(toolCallSql(groups)).map(toToolCallStats), ...run(turnSql(groups)).map(toTurnStats)] };
  };
}

function toolCallSql(groups: ReadonlySet<Group>): string {
  return `SELECT ${columns(groups, { kind: "e.kind", name: "e.name" })},
      sum(e.waited_ms > 0) AS asked, sum(e.waited_ms) AS waited_ms, count(*) AS n, sum(e.status = 'failed') AS failed,
      median(${toolCallMs}) AS median_ms, percentile(${toolCallMs}, 95) AS p95_ms
    FROM tool_calls AS e JOIN threads AS t ON t.id = e.thread_id
    WHERE ${endedInSpan} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;
}

function turnSql(groups: ReadonlySet<Group>): string {
  return `SELECT ${columns(groups, { kind: "NULL", name: "NULL" })}, e.currency,
      count(*) AS n, sum(e.status = 'failed') AS failed,
      median(${turnMs}) AS median_ms, percentile(${turnMs}, 95) AS p95_ms,
      coalesce(sum(e.input_tokens), 0) AS input_tokens, coalesce(sum(e.output_tokens), 0) AS output_tokens,
      coalesce(sum(e.total_tokens), 0) AS total_tokens, coalesce(sum(e.cost), 0) AS cost
    FROM turns AS e JOIN threads AS t ON t.id = e.thread_id
    WHERE ${endedInSpan} AND e.turn_id NOT LIKE 'restore-%' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;
}

// The same as toolCallMs of the protocol. A clock that was set back makes no negative durations.
const toolCallMs =
  "max(0, min(e.ended_at - coalesce(e.started_at, e.created_at), e.ended_at - e.created_at - e.waited_ms))";
const turnMs = "max(0, e.ended_at - e.started_at)";
const endedInSpan = "e.ended_at >= ?2 AND e.ended_at <= ?3 AND t.deleting = 0 AND (?4 IS NULL OR t.agent_id = ?4)";

function columns(groups: ReadonlySet<Group>, { kind, name }: { readonly kind: string; readonly name: string }): string {
  // The offset is bound also when no day is asked for, so that both queries take the same arguments.
  const day = groups.has("day") ? `CAST((e.ended_at + ?1) / ${dayMs} AS INTEGER)` : "CASE WHEN ?1 IS NULL THEN 0 END";
  const asked = (group: Group, expression: string) => `${groups.has(group) ? expression : "NULL"} AS ${group}`;
  return [`${day} AS day`, asked("agent_id", "t.agent_id"), asked("kind", kind), asked("name", name)].join(", ");
}

function toToolCallStats(row: Row): StatsRow {
  return {
    stat: "tool_calls",
    kind: textOrNull(row, "kind"),
    name: textOrNull(row, "name"),
    asked: integer(row, "asked"),
    waited_ms: integer(row, "waited_ms"),
    ...groupOf(row),
  };
}

function toTurnStats(row: Row): StatsRow {
  return {
    stat: "turns",
    ...groupOf(row),
    input_tokens: integer(row, "input_tokens"),
    output_tokens: integer(row, "output_tokens"),
    total_tokens: integer(row, "total_tokens"),
    cost: integer(row, "cost"),
    currency: textOrNull(row, "currency"),
  };
}

function groupOf(row: Row) {
  const day = integerOrNull(row, "day");
  return {
    day: day === null ? null : new Date(day * dayMs).toISOString().slice(0, 10),
    agent_id: textOrNull(row, "agent_id"),
    count: integer(row, "n"),
    failed: integer(row, "failed"),
    median_ms: rounded(row, "median_ms"),
    p95_ms: rounded(row, "p95_ms"),
  };
}

function rounded(row: Row, column: string): number | null {
  const value = integerOrNull(row, column);
  return value === null ? null : Math.round(value);
}
