// Asks the host for one page of a query's rows.
import type { QueryArgs, QueryName, QueryRow } from "@signalbox/protocol";
import type { Connection } from "./connection.ts";

interface RowsPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null when this was the last. */
  readonly cursor: string | null;
}

export async function queryPage<Name extends QueryName>(
  connection: Connection,
  name: Name,
  args: QueryArgs<Name>,
): Promise<RowsPage<QueryRow<Name>>> {
  const answer = await connection.request({ control: "tvx.query", name, args });
  if (answer.type !== "tinyvex.query_result") throw new Error(`The host answered ${name} with ${answer.type}.`);
  // The answer to this request has the rows of this name: the host and the page come from one build.
  return { rows: answer.rows as readonly QueryRow<Name>[], cursor: answer.next_cursor ?? null };
}
