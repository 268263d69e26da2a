// `stats` by path: the files that most tool calls named. A call counts once for each path among its locations, as the agent sent them:
// what an agent touched without saying so is not known. Answered from the index tool_calls_by_path alone.
import type { DatabaseSync } from "node:sqlite";
import type { ToolCallStatsRow } from "@signalbox/protocol";
import { integer, textOrNull } from "../database/row.ts";

interface Span {
  readonly since: number;
  readonly until: number;
  readonly agentId: string | null;
  readonly limit: number;
}

type PathStatsRow = ToolCallStatsRow & { readonly path: string };

const pathStatsSql = `SELECT path, count(*) AS n, sum(failed) AS failed FROM (
    SELECT DISTINCT e.rowid, e.status = 'failed' AS failed, l.value ->> '$.path' AS path
    FROM tool_calls AS e INDEXED BY tool_calls_by_path JOIN threads AS t ON t.id = e.thread_id,
      json_each(e.locations_json) AS l
    WHERE e.ended_at >= ?1 AND e.ended_at <= ?2 AND e.locations_json <> '[]' AND l.type = 'object'
      AND t.deleting = 0 AND (?3 IS NULL OR t.agent_id = ?3)
  ) WHERE typeof(path) = 'text' GROUP BY path ORDER BY n DESC, path LIMIT ?4`;

export function pathStats(database: DatabaseSync, { since, until, agentId, limit }: Span) {
  const found = database.prepare(pathStatsSql).all(since, until, agentId, limit);
  const rows = found.map(
    (row): PathStatsRow => ({
      stat: "tool_calls",
      path: textOrNull(row, "path") ?? "",
      day: null,
      agent_id: null,
      kind: null,
      name: null,
      asked: 0,
      waited_ms: 0,
      count: integer(row, "n"),
      failed: integer(row, "failed"),
      median_ms: null,
      p95_ms: null,
    }),
  );
  return { rows };
}
