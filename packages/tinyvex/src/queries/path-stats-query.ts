// `stats` by path: the files that most tool calls named. A call counts once for each path among its locations, as the agent sent them:
// what an agent touched without saying so is not known. Answered from the index tool_calls_by_path alone.
import type { DatabaseSync } from "node:sqlite";
import { pathStatsColumns, rowReader, uncountedByPath } from "@signalbox/protocol";

interface Span {
  readonly since: number;
  readonly until: number;
  readonly agentId: string | null;
  readonly limit: number;
}

const readPath = rowReader(pathStatsColumns);

const pathStatsSql = `SELECT path, count(*) AS count, sum(failed) AS failed FROM (
    SELECT DISTINCT e.rowid, e.status = 'failed' AS failed, l.value ->> '$.path' AS path
    FROM tool_calls AS e INDEXED BY tool_calls_by_path JOIN threads AS t ON t.id = e.thread_id,
      json_each(e.locations_json) AS l
    WHERE e.ended_at >= ?1 AND e.ended_at <= ?2 AND e.locations_json <> '[]' AND l.type = 'object'
      AND (?3 IS NULL OR t.agent_id = ?3)
  ) WHERE typeof(path) = 'text' GROUP BY path ORDER BY count DESC, path LIMIT ?4`;

export function pathStats(database: DatabaseSync, { since, until, agentId, limit }: Span) {
  const found = database.prepare(pathStatsSql).all(since, until, agentId, limit);
  return { rows: found.map((row) => ({ ...uncountedByPath, ...readPath(row) })) };
}
