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

const pathStatsSql = `SELECT p.value AS path, count(*) AS count, sum(e.status = 'failed') AS failed
  FROM tool_calls AS e INDEXED BY tool_calls_by_path, json_each(e.paths_json) AS p
  WHERE e.ended_at >= ?1 AND e.ended_at <= ?2 AND e.paths_json <> '[]' AND (?3 IS NULL OR e.agent_id = ?3)
  GROUP BY p.value ORDER BY count DESC, p.value LIMIT ?4`;

export function pathStats(database: DatabaseSync, { since, until, agentId, limit }: Span) {
  const found = database.prepare(pathStatsSql).all(since, until, agentId, limit);
  return { rows: found.map((row) => ({ ...uncountedByPath, ...readPath(row) })) };
}
