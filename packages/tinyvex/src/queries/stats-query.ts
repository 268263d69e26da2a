// `stats`: what the charts draw, per day, agent, kind of tool and tool, exact, over the calls and turns that ended in a span of
// time (the last 30 days unless said otherwise). By path: see path-stats-query.ts.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import {
  hostItemName,
  type QueryArgs,
  rowReader,
  type StatsGroupName,
  type StatsRow,
  statsScope,
  toolCallMs,
  toolCallStatsColumns,
  turnStatsColumns,
} from "@signalbox/protocol";
import type { Row } from "../database/row.ts";
import { RegisterError } from "../register.ts";
import { chooseLimit } from "./arguments.ts";
import { pathStats } from "./path-stats-query.ts";

const dayMs = 24 * 60 * 60 * 1000;
const readToolCalls = rowReader(toolCallStatsColumns);
const readTurns = rowReader(turnStatsColumns);

/** Putting files back is recorded as a turn, and is none of the agent's. */
export const isCountedTurn = "turn_id NOT LIKE 'restore-%'";

export function statsQuery(database: DatabaseSync, now: () => number) {
  defineToolCallMs(database);
  return (args: QueryArgs<"stats">): { readonly rows: readonly StatsRow[] } => {
    const scope = statsScope(args, now());
    if (scope === null) throw new RegisterError("bad_request", 'group_by must be ["path"] alone, or without path.');
    const { since, until, agentId, offsetMs, groups } = scope;
    if (scope.isByPath) return pathStats(database, { since, until, agentId, limit: chooseLimit(args) });
    const run = (sql: string) => database.prepare(sql).all(offsetMs, since, until, agentId);
    const waited = new Map(run(waitedSql(groups)).map((row) => [groupKey(row), row.waited_ms]));
    const counted = run(toolCallSql(groups)).map((row) => ({ ...row, waited_ms: waited.get(groupKey(row)) ?? 0 }));
    const calls = counted.map((row) => ({ stat: "tool_calls" as const, ...readToolCalls(row) }));
    const turns = run(turnSql(groups)).map((row) => ({ stat: "turns" as const, ...readTurns(row) }));
    return { rows: [...calls, ...turns] };
  };
}

/** SQLite calls the function that the page and the reports call too: it costs about a tenth of a microsecond a row more than the same in SQL. */
export function defineToolCallMs(database: DatabaseSync): void {
  database.function("tool_call_ms", { deterministic: true }, (created_at, started_at, ended_at, waited_ms) =>
    toolCallMs({
      created_at: Number(created_at),
      started_at: numberOrNull(started_at),
      ended_at: numberOrNull(ended_at),
      waited_ms: Number(waited_ms),
    }),
  );
}

function numberOrNull(value: SQLOutputValue): number | null {
  return value === null ? null : Number(value);
}

function groupKey({ day, agent_id, kind, name }: Row): string {
  return JSON.stringify([day, agent_id, kind, name]);
}

const fromCalls = "FROM tool_calls AS e JOIN threads AS t ON t.id = e.thread_id";

function toolCallSql(groups: ReadonlySet<StatsGroupName>): string {
  return `SELECT ${columns(groups, callGroup)}, sum(e.waited_ms > 0) AS asked, sum(${isOfAgent}) AS count,
      sum(e.status = 'failed' AND ${isOfAgent}) AS failed,
      median(${agentMs}) AS median_ms, percentile(${agentMs}, 95) AS p95_ms
    ${fromCalls} WHERE ${endedInSpan} GROUP BY 1, 2, 3, 4 HAVING count > 0 OR asked > 0 ORDER BY 1, 2, 3, 4`;
}

/** Time in which several calls of a group wait for a person counts once. */
function waitedSql(groups: ReadonlySet<StatsGroupName>): string {
  return `SELECT day, agent_id, kind, name, sum(max(0, until - max(since, coalesce(reached, since)))) AS waited_ms FROM (
      SELECT *, max(until) OVER (PARTITION BY day, agent_id, kind, name ORDER BY since
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
      FROM (SELECT ${columns(groups, callGroup)}, w.value ->> 0 AS since, w.value ->> 1 AS until ${fromCalls}, json_each(e.waits_json) AS w
        WHERE ${endedInSpan} AND e.waited_ms > 0)
    ) GROUP BY 1, 2, 3, 4`;
}

function turnSql(groups: ReadonlySet<StatsGroupName>): string {
  return `SELECT ${columns(groups, { kind: "NULL", name: "NULL" })}, e.currency,
      count(*) AS count, sum(e.status = 'failed') AS failed,
      median(${turnMs}) AS median_ms, percentile(${turnMs}, 95) AS p95_ms,
      coalesce(sum(e.input_tokens), 0) AS input_tokens, coalesce(sum(e.output_tokens), 0) AS output_tokens,
      coalesce(sum(e.total_tokens), 0) AS total_tokens, coalesce(sum(e.cost), 0) AS cost
    FROM turns AS e JOIN threads AS t ON t.id = e.thread_id
    WHERE ${endedInSpan} AND e.${isCountedTurn} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;
}

/** Unknown values (NULL) are not counted. */
const callMs = "tool_call_ms(e.created_at, e.started_at, e.ended_at, e.waited_ms)";
const agentMs = `CASE WHEN e.name IS NOT '${hostItemName}' THEN ${callMs} END`;
const turnMs = "max(0, e.ended_at - e.started_at)";
const callGroup = { kind: "e.kind", name: "e.name" };
const endedInSpan = "e.ended_at >= ?2 AND e.ended_at <= ?3 AND (?4 IS NULL OR t.agent_id = ?4)";
/** A command that the host ran is counted with the agent's call; only its questions count here. */
const isOfAgent = `e.name IS NOT '${hostItemName}'`;

function columns(
  groups: ReadonlySet<StatsGroupName>,
  { kind, name }: { readonly kind: string; readonly name: string },
): string {
  // The offset is bound also when no day is asked for, so that both queries take the same arguments.
  const day = groups.has("day") ? `CAST((e.ended_at + ?1) / ${dayMs} AS INTEGER)` : "CASE WHEN ?1 IS NULL THEN 0 END";
  const asked = (group: StatsGroupName, expression: string) => `${groups.has(group) ? expression : "NULL"} AS ${group}`;
  return [`${day} AS day`, asked("agent_id", "t.agent_id"), asked("kind", kind), asked("name", name)].join(", ");
}
