// `facets.list`: by what threads and items can be narrowed down: the agents and folders of all threads, counted, and the kinds of items.
import type { DatabaseSync } from "node:sqlite";
import { type FacetRow, facetColumns, rowReader } from "@signalbox/protocol";
import { text } from "../database/row.ts";

const readFacet = rowReader(facetColumns);

function countsSql(column: string, index: string): string {
  return `SELECT ${column} AS value, sum(archived = 0) AS threads, sum(archived) AS archived
    FROM threads INDEXED BY ${index} GROUP BY ${column} ORDER BY ${column}`;
}

// Each step looks up the next kind in the index: the number of items makes no difference.
const kindsSql = `WITH RECURSIVE kinds(value) AS (
    SELECT min(kind) FROM search_items
    UNION ALL SELECT (SELECT min(kind) FROM search_items WHERE kind > kinds.value) FROM kinds WHERE kinds.value IS NOT NULL
  ) SELECT value FROM kinds WHERE value IS NOT NULL`;

export function facetsQuery(database: DatabaseSync) {
  const agents = database.prepare(countsSql("agent_id", "threads_by_agent"));
  const folders = database.prepare(countsSql("cwd", "threads_by_folder"));
  const kinds = database.prepare(kindsSql);
  return (): { readonly rows: readonly FacetRow[] } => {
    const counted = (facet: FacetRow["facet"], found: typeof agents) =>
      found.all().map((row) => ({ facet, ...readFacet(row) }));
    return {
      rows: [
        ...counted("agent_id", agents),
        ...counted("cwd", folders),
        ...kinds
          .all()
          .map((row) => ({ facet: "kind" as const, value: text(row, "value"), threads: null, archived: null })),
      ],
    };
  };
}
