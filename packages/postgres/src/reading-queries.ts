// The statements that read other machines' threads, and their rows. query-plans of the tests explain each: every one is led by an index.
import type { StatsRow } from "@signalbox/protocol";
import { integer, type Row, text, textOrNull } from "./fields.ts";

const dayMs = 24 * 60 * 60 * 1000;
export const defaultSpanMs = 30 * dayMs;

const threadColumns = `t.machine, t.generation, t.last_seq, t.thread_row, coalesce(m.online_until > now(), false) AS online
  FROM signalbox.threads AS t LEFT JOIN signalbox.machines AS m ON m.machine = t.machine`;

export const threadsSql = `SELECT ${threadColumns}
  WHERE t.machine <> $1 AND t.archived = $2 AND (t.updated_at, t.thread_id) < ($3, $4)
    AND ($5::text IS NULL OR t.agent_id = $5) AND ($6::text IS NULL OR t.cwd = $6) AND ($7::text IS NULL OR t.status = $7)
    AND lower(concat_ws(E'\\n', coalesce(t.title, 'Untitled'), t.cwd, t.agent_id, t.machine)) LIKE ALL ($8::text[])
  ORDER BY t.updated_at DESC, t.thread_id DESC LIMIT $9`;

export const findSql = `SELECT ${threadColumns}
  WHERE t.thread_id = ANY($2::text[]) AND t.machine <> $1 ORDER BY t.updated_at DESC`;

export const eventsSql = `SELECT seq, ts, kind, payload, refs FROM signalbox.events
  WHERE machine = $1 AND thread_id = $2 AND seq > $3 ORDER BY seq LIMIT $4`;

/** The newest that match. The last word may go on; the snippet is made only of what is given. */
export const searchSql = `WITH query AS (
    SELECT websearch_to_tsquery('simple', $2) || CASE WHEN $2 ~ '^[[:alnum:] ]*[[:alnum:]]{3}$'
      THEN to_tsquery('simple', array_to_string(regexp_split_to_array(btrim($2), '\\s+'), ' & ') || ':*') ELSE '' END AS words
  ), found AS (
    SELECT i.*, t.title AS thread_title, t.agent_id, t.cwd
    FROM query, signalbox.items AS i JOIN signalbox.threads AS t ON t.machine = i.machine AND t.thread_id = i.thread_id
    WHERE i.words @@ query.words AND i.machine <> $1 AND ($3::text IS NULL OR i.thread_id = $3)
      AND ($4::text IS NULL OR t.agent_id = $4) AND ($5::text IS NULL OR i.kind = $5) AND ($6::text IS NULL OR i.status = $6)
      AND ($7::text IS NULL OR t.cwd = $7) AND i.ts >= $8 AND i.ts <= $9
    ORDER BY i.ts DESC, i.seq DESC LIMIT $10
  ) SELECT found.*, ts_headline('simple', left(concat_ws(E'\\n', found.title, found.body), 100000), query.words,
      'MaxFragments=1, StartSel=' || chr(57344) || ', StopSel=' || chr(57345)) AS snippet
  FROM found, query ORDER BY found.ts DESC, found.seq DESC`;

function groupColumns(groups: ReadonlySet<string>, kind: string, name: string): string {
  const asked = (group: string, expression: string) => `${groups.has(group) ? expression : "NULL"} AS ${group}`;
  const day = `to_char(to_timestamp((e.ended_at + $2::bigint) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;
  return [asked("day", day), asked("agent_id", "t.agent_id"), asked("kind", kind), asked("name", name)].join(", ");
}

const measures = `count(*) AS n, count(*) FILTER (WHERE e.status = 'failed') AS failed,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY e.ms) AS median_ms, percentile_cont(0.95) WITHIN GROUP (ORDER BY e.ms) AS p95_ms`;

const endedInSpan = `JOIN signalbox.threads AS t ON t.machine = e.machine AND t.thread_id = e.thread_id
  WHERE e.machine <> $1 AND $2::bigint IS NOT NULL AND e.ended_at >= $3 AND e.ended_at <= $4 AND ($5::text IS NULL OR t.agent_id = $5)`;

export function toolCallStatsSql(groups: ReadonlySet<string>): string {
  return `SELECT e.machine, ${groupColumns(groups, "e.kind", "e.name")}, ${measures},
      count(*) FILTER (WHERE e.waited_ms > 0) AS asked, sum(e.waited_ms) AS waited_ms
    FROM signalbox.tool_calls AS e ${endedInSpan} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;
}

export function turnStatsSql(groups: ReadonlySet<string>): string {
  return `SELECT e.machine, ${groupColumns(groups, "NULL", "NULL")}, e.currency, ${measures},
      sum(e.input_tokens) AS input_tokens, sum(e.output_tokens) AS output_tokens, sum(e.total_tokens) AS total_tokens, sum(e.cost) AS cost
    FROM signalbox.turns AS e ${endedInSpan} GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`;
}

export function toToolCallStats(row: Row): StatsRow {
  return {
    stat: "tool_calls",
    kind: textOrNull(row, "kind"),
    name: textOrNull(row, "name"),
    asked: integer(row, "asked"),
    waited_ms: integer(row, "waited_ms"),
    ...groupOf(row),
  };
}

export function toTurnStats(row: Row): StatsRow {
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
  return {
    machine: text(row, "machine"),
    day: textOrNull(row, "day"),
    agent_id: textOrNull(row, "agent_id"),
    count: integer(row, "n"),
    failed: integer(row, "failed"),
    median_ms: Math.round(integer(row, "median_ms")),
    p95_ms: Math.round(integer(row, "p95_ms")),
  };
}
