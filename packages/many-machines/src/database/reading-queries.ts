// The statements that read other machines' threads, and their rows. query-plans of the tests explain each: every one is led by an index.
import { foldWord, hostItemName, type SearchTerm, type StatsGroupName } from "@signalbox/protocol";

const dayMs = 24 * 60 * 60 * 1000;

const threadColumns = `t.machine, t.thread_id, t.agent_id, t.cwd, t.title, t.status, t.archived, t.updated_at, t.generation, t.last_seq, t.thread_row, coalesce(m.online_until > now(), false) AS online
  FROM signalbox.threads AS t LEFT JOIN signalbox.machines AS m ON m.machine = t.machine`;

export const threadsSql = `SELECT ${threadColumns}
  WHERE t.machine <> $1 AND t.archived = $2 AND (t.updated_at, t.thread_id) < ($3, $4)
    AND ($5::text IS NULL OR t.agent_id = $5) AND ($6::text IS NULL OR t.cwd = $6) AND ($7::text IS NULL OR t.status = $7)
    AND lower(concat_ws(E'\\n', coalesce(t.title, 'Untitled'), t.cwd, t.agent_id, t.machine)) LIKE ALL ($8::text[])
  ORDER BY t.updated_at DESC, t.thread_id DESC LIMIT $9`;

export const findSql = `SELECT ${threadColumns}
  WHERE t.thread_id = ANY($2::text[]) AND t.machine <> $1 ORDER BY t.updated_at DESC`;

/** As many as fit into `$5` bytes: other machines wrote them, and could have written anything. */
export const eventsSql = `SELECT seq, ts, kind, payload, refs FROM (
    SELECT *, sum(octet_length(payload) + coalesce(octet_length(refs), 0)) OVER (ORDER BY seq) AS bytes FROM (
      SELECT seq, ts, kind, payload, refs FROM signalbox.events
      WHERE machine = $1 AND thread_id = $2 AND seq > $3 ORDER BY seq LIMIT $4) AS next) AS sized
  WHERE bytes <= $5 ORDER BY seq`;

export const hasEventsSql = "SELECT 1 FROM signalbox.events WHERE machine = $1 AND thread_id = $2 AND seq > $3 LIMIT 1";

/** The newest that match. */
export const searchSql = `SELECT i.machine, i.thread_id, t.title AS thread_title, t.agent_id, t.cwd, i.seq, i.item, i.item_id, i.kind, i.ts,
    concat_ws(E'\\n', i.title, i.body) AS found
  FROM signalbox.items AS i JOIN signalbox.threads AS t ON t.machine = i.machine AND t.thread_id = i.thread_id
  WHERE i.words @@ $2::tsquery AND i.machine <> $1 AND ($3::text IS NULL OR i.thread_id = $3)
    AND ($4::text IS NULL OR t.agent_id = $4) AND ($5::text IS NULL OR i.kind = $5) AND ($6::text IS NULL OR i.status = $6)
    AND ($7::text IS NULL OR t.cwd = $7) AND i.ts >= $8 AND i.ts <= $9
  ORDER BY i.ts DESC, i.seq DESC LIMIT $10`;

/** All terms, as PostgreSQL asks for them; empty when there is no word in them. Words hold letters and digits: nothing in them means anything to it. */
export function makeTsQuery(terms: readonly SearchTerm[]): string {
  return terms.flatMap(makePhrase).join(" & ");
}

function makePhrase({ words, isPrefix }: SearchTerm): readonly string[] {
  const folded = words.map(foldWord).filter((word) => word !== "");
  return folded.length === 0 ? [] : [`(${folded.map((word) => `'${word}'`).join(" <-> ")}${isPrefix ? ":*" : ""})`];
}

function makeGroupColumns(groups: ReadonlySet<StatsGroupName>, kind: string, name: string): string {
  const selectGroup = (group: StatsGroupName, expression: string) =>
    `${groups.has(group) ? expression : "NULL"} AS ${group}`;
  const day = `(e.ended_at + $2::bigint) / ${dayMs}`;
  return [
    selectGroup("day", day),
    selectGroup("agent_id", "t.agent_id"),
    selectGroup("kind", kind),
    selectGroup("name", name),
  ].join(", ");
}

const measures = `count(*) AS count, count(*) FILTER (WHERE e.status = 'failed') AS failed,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY e.ms) AS median_ms, percentile_cont(0.95) WITHIN GROUP (ORDER BY e.ms) AS p95_ms`;

/** A command that the host ran is counted with the agent's call; only its questions count. */
const isOfAgent = `e.name IS DISTINCT FROM '${hostItemName}'`;
const callMs = `CASE WHEN ${isOfAgent} THEN e.ms END`;
const callMeasures = `count(*) FILTER (WHERE ${isOfAgent}) AS count, count(*) FILTER (WHERE e.status = 'failed' AND ${isOfAgent}) AS failed,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY ${callMs}) AS median_ms, percentile_cont(0.95) WITHIN GROUP (ORDER BY ${callMs}) AS p95_ms`;

const endedInSpan = `JOIN signalbox.threads AS t ON t.machine = e.machine AND t.thread_id = e.thread_id
  WHERE e.machine <> $1 AND $2::bigint IS NOT NULL AND e.ended_at >= $3 AND e.ended_at <= $4 AND ($5::text IS NULL OR t.agent_id = $5)`;

/** Time in which several calls of a group wait for a person counts once, where it is known; else it is added up. */
export function makeToolCallStatsSql(groups: ReadonlySet<StatsGroupName>): string {
  const group = makeGroupColumns(groups, "e.kind", "e.name");
  const same = ["day", "agent_id", "kind", "name"]
    .map((name) => `w.${name} IS NOT DISTINCT FROM c.${name}`)
    .join(" AND ");
  return `WITH asked AS (
      SELECT e.machine, ${group}, (w.value ->> 0)::bigint AS since, (w.value ->> 1)::bigint AS until
      FROM signalbox.tool_calls AS e CROSS JOIN LATERAL json_array_elements(e.waits::json) AS w(value)
      ${endedInSpan} AND e.waited_ms > 0
    ), waited AS (
      SELECT machine, day, agent_id, kind, name, sum(greatest(0, until - greatest(since, reached))) AS waited_ms FROM (
        SELECT *, max(until) OVER (PARTITION BY machine, day, agent_id, kind, name ORDER BY since
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached FROM asked
      ) AS o GROUP BY 1, 2, 3, 4, 5
    ), counted AS (
      SELECT e.machine, ${group}, ${callMeasures}, count(*) FILTER (WHERE e.waited_ms > 0) AS asked,
        coalesce(sum(e.waited_ms) FILTER (WHERE e.waits = '[]'), 0) AS added_up_ms
      FROM signalbox.tool_calls AS e ${endedInSpan} GROUP BY 1, 2, 3, 4, 5
    )
    SELECT c.*, c.added_up_ms + coalesce(w.waited_ms, 0) AS waited_ms FROM counted AS c LEFT JOIN waited AS w ON w.machine = c.machine AND ${same}
    WHERE c.count > 0 OR c.asked > 0
    ORDER BY c.machine, c.day, c.agent_id, c.kind, c.name`;
}

export function makeTurnStatsSql(groups: ReadonlySet<StatsGroupName>): string {
  return `SELECT e.machine, ${makeGroupColumns(groups, "NULL", "NULL")}, e.currency, ${measures},
      sum(e.input_tokens) AS input_tokens, sum(e.output_tokens) AS output_tokens, sum(e.total_tokens) AS total_tokens, sum(e.cost) AS cost
    FROM signalbox.turns AS e ${endedInSpan} GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`;
}

/** A call counts once for each file that it named. */
export const pathStatsSql = `SELECT e.machine, path, count(*) AS count, count(*) FILTER (WHERE e.status = 'failed') AS failed
  FROM signalbox.tool_calls AS e JOIN signalbox.threads AS t ON t.machine = e.machine AND t.thread_id = e.thread_id,
    json_array_elements_text(e.paths::json) AS path
  WHERE e.machine <> $1 AND e.ended_at >= $2 AND e.ended_at <= $3 AND ($4::text IS NULL OR t.agent_id = $4) AND e.paths <> '[]'
  GROUP BY 1, 2 ORDER BY count DESC, path LIMIT $5`;

export function makeFacetSql(column: "agent_id" | "cwd"): string {
  return `SELECT ${column} AS value, count(*) FILTER (WHERE NOT archived) AS threads, count(*) FILTER (WHERE archived) AS archived
    FROM signalbox.threads WHERE machine <> $1 GROUP BY 1 ORDER BY 1`;
}

/** Each step looks up the next kind in the index: the number of items makes no difference. */
export const kindsSql = `WITH RECURSIVE kinds(value) AS (
    SELECT min(kind) FROM signalbox.items
    UNION ALL SELECT (SELECT min(kind) FROM signalbox.items WHERE kind > kinds.value) FROM kinds WHERE kinds.value IS NOT NULL
  ) SELECT value FROM kinds WHERE value IS NOT NULL`;

/** The pieces of a text; none where they are more than $3 bytes. One statement, so that no piece can come between the look and the reading. */
export const blobSql = `
  SELECT bytes FROM (
    SELECT piece, bytes, sum(octet_length(bytes)) OVER () AS size FROM signalbox.blob_pieces WHERE machine = $1 AND hash = $2
  ) AS pieces WHERE size <= $3 ORDER BY piece`;
