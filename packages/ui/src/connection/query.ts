// A question to the register or the host: one page of rows, typed by what the caller knows the name to give.
import type { Json, QueryName } from "@signalbox/protocol";
import type { Connection } from "./connection.ts";

export interface QueryPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null when this was the last. */
  readonly cursor: string | null;
}

export type QueryArgs = Record<string, Json>;

export async function queryPage<Row>(
  connection: Connection,
  name: QueryName,
  args: Record<string, Json> = {},
): Promise<QueryPage<Row>> {
  const answer = await connection.request({ control: "tvx.query", name, args: args as never });
  if (answer.type !== "tinyvex.query_result") throw new Error(`The host answered ${name} with ${answer.type}.`);
  // Rows are what protocol/rows.ts says of this name: the host and the page come from one build.
  return { rows: answer.rows as unknown as readonly Row[], cursor: answer.next_cursor ?? null };
}
