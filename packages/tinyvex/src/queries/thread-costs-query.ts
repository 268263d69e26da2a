// `thread_costs.list`: what each thread used in a span of time (turns, tokens, cost), the dearest first, and how full its context is.
import type { DatabaseSync } from "node:sqlite";
import {
  chooseSpan,
  isJsonObject,
  type QueryArgs,
  type QueryPage,
  rowReader,
  threadCostColumns,
} from "@signalbox/protocol";
import { type Row, textOrNull } from "../database/row.ts";
import { chooseLimit } from "./arguments.ts";
import { isCountedTurn } from "./stats-query.ts";

const readCost = rowReader(threadCostColumns);

const sql = `SELECT used.*, t.title, t.agent_id, t.cwd, s.usage_json FROM (
    SELECT thread_id, currency, count(*) AS turns, coalesce(sum(total_tokens), 0) AS total_tokens, coalesce(sum(cost), 0) AS cost
    FROM turns WHERE ended_at >= ?1 AND ended_at <= ?2 AND ${isCountedTurn} GROUP BY thread_id, currency
  ) AS used JOIN threads AS t ON t.id = used.thread_id LEFT JOIN thread_state AS s ON s.thread_id = used.thread_id
  WHERE used.cost > 0 OR used.total_tokens > 0
  ORDER BY used.cost DESC, used.total_tokens DESC, used.thread_id LIMIT ?3`;

export function threadCostsQuery(database: DatabaseSync, now: () => number) {
  const statement = database.prepare(sql);
  return (args: QueryArgs<"thread_costs.list">): QueryPage<"thread_costs.list"> => {
    const { since, until } = chooseSpan(args, now());
    const found = statement.all(since, until, chooseLimit(args));
    return { rows: found.map((row) => ({ ...readCost(row), context: readContext(row) })) };
  };
}

function readContext(row: Row) {
  const usage: unknown = JSON.parse(textOrNull(row, "usage_json") ?? "null");
  if (!isJsonObject(usage) || typeof usage.used !== "number") return null;
  return { used: usage.used, size: typeof usage.size === "number" && usage.size > 0 ? usage.size : null };
}
