// `stats`: what the charts draw, per day, agent, kind of tool and tool, exact, over the calls and turns that ended in a span of
// time (the last 30 days unless said otherwise). By path: see path-stats-query.ts. Sorting tens of thousands of calls into groups would take
// most of the time, so calls are counted group by group, in the order of the index tool_calls_by_group: see tool-call-counts.ts.
import type { DatabaseSync } from "node:sqlite";
import {
  type QueryArgs,
  rowReader,
  type StatsGroupName,
  type StatsRow,
  statsScope,
  toolCallStatsColumns,
  turnStatsColumns,
} from "@signalbox/protocol";
import type { Row } from "../database/row.ts";
import { RegisterError } from "../register.ts";
import { chooseLimit } from "./arguments.ts";
import { pathStats } from "./path-stats-query.ts";
import { compareGroups, groupKey, ToolCallCounts } from "./tool-call-counts.ts";

const dayMs = 24 * 60 * 60 * 1000;
const readToolCalls = rowReader(toolCallStatsColumns);
const readTurns = rowReader(turnStatsColumns);

/** Putting files back is recorded as a turn, and is none of the agent's. */
export const isCountedTurn = "turn_id NOT LIKE 'restore-%'";

export function statsQuery(database: DatabaseSync, now: () => number) {
  return (args: QueryArgs<"stats">): { readonly rows: readonly StatsRow[] } => {
    const scope = statsScope(args, now());
    if (scope === null) throw new RegisterError("bad_request", 'group_by must be ["path"] alone, or without path.');
    const { since, until, agentId, offsetMs, groups } = scope;
    if (scope.isByPath) return pathStats(database, { since, until, agentId, limit: chooseLimit(args) });
    const run = (sql: string) => database.prepare(sql).all(offsetMs, since, until, agentId);
    const calls = new Map<string, Row>(run(askedSql(groups)).map((row) => [groupKey(row), { ...uncounted, ...row }]));
    for (const row of new ToolCallCounts(database).count(scope)) {
      const key = groupKey(row);
      calls.set(key, { ...unasked, ...calls.get(key), ...row });
    }
    const turns = run(turnSql(groups));
    return {
      rows: [
        ...[...calls.values()]
          .toSorted(compareGroups)
          .map((row) => ({ stat: "tool_calls" as const, ...readToolCalls(row) })),
        ...turns.map((row) => ({ stat: "turns" as const, ...readTurns(row) })),
      ],
    };
  };
}

/** Only commands that the host ran were asked about in the group: they are counted with the agent's own calls. */
const uncounted = { count: 0, failed: 0, median_ms: null, p95_ms: null };
const unasked = { asked: 0, waited_ms: 0 };

/** The questions of each group, and how long they waited. Time in which several calls of a group wait for a person counts once. */
function askedSql(groups: ReadonlySet<StatsGroupName>): string {
  return `SELECT day, agent_id, kind, name, count(DISTINCT call) AS asked,
      sum(max(0, until - max(since, coalesce(reached, since)))) AS waited_ms FROM (
      SELECT *, max(until) OVER (PARTITION BY day, agent_id, kind, name ORDER BY since
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
      FROM (SELECT ${columns(groups, { agent_id: "e.agent_id", kind: "e.kind", name: "e.name" })},
          e.rowid AS call, w.value ->> 0 AS since, w.value ->> 1 AS until
        FROM tool_calls AS e INDEXED BY tool_calls_asked, json_each(e.waits_json) AS w
        WHERE ${endedInSpan("e.agent_id")} AND e.waited_ms > 0)
    ) GROUP BY 1, 2, 3, 4`;
}

function turnSql(groups: ReadonlySet<StatsGroupName>): string {
  return `SELECT ${columns(groups, { agent_id: turnAgent, kind: "NULL", name: "NULL" })}, e.currency,
      count(*) AS count, sum(e.status = 'failed') AS failed,
      median(${turnMs}) AS median_ms, percentile(${turnMs}, 95) AS p95_ms,
      coalesce(sum(e.input_tokens), 0) AS input_tokens, coalesce(sum(e.output_tokens), 0) AS output_tokens,
      coalesce(sum(e.total_tokens), 0) AS total_tokens, coalesce(sum(e.cost), 0) AS cost
    FROM turns AS e INDEXED BY turns_by_end
    WHERE ${endedInSpan(turnAgent)} AND e.${isCountedTurn} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;
}

/** Unknown values (NULL) are not counted. */
const turnMs = "max(0, e.ended_at - e.started_at)";
/** A turn that ended before it began has no agent of its own. */
const turnAgent = "coalesce(e.agent_id, (SELECT t.agent_id FROM threads AS t WHERE t.id = e.thread_id))";

function endedInSpan(agent: string): string {
  return `e.ended_at >= ?2 AND e.ended_at <= ?3 AND (?4 IS NULL OR ${agent} = ?4)`;
}

function columns(
  groups: ReadonlySet<StatsGroupName>,
  expressions: Readonly<Record<"agent_id" | "kind" | "name", string>>,
): string {
  // The offset is bound also when no day is asked for, so that both queries take the same arguments.
  const day = groups.has("day") ? `CAST((e.ended_at + ?1) / ${dayMs} AS INTEGER)` : "CASE WHEN ?1 IS NULL THEN 0 END";
  const asked = (["agent_id", "kind", "name"] as const).map(
    (group) => `${groups.has(group) ? expressions[group] : "NULL"} AS ${group}`,
  );
  return [`${day} AS day`, ...asked].join(", ");
}
