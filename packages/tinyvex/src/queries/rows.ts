// Makes the rows of threads, turns and tool calls as clients get them. The writer uses the same for what it publishes.
import {
  column,
  type RowOf,
  rowReader,
  type TurnRow,
  threadColumns,
  toolCallColumns,
  turnColumns,
} from "@signalbox/protocol";
import { pickColumns } from "../database/table.ts";
import { turns } from "../database/tables.ts";

export const readThreadSummary = rowReader({
  ...threadColumns,
  message_count: column.number,
  tool_call_count: column.number,
});

export const readToolCall = rowReader(toolCallColumns);

const readStoredTurn = rowReader(turns.columns);

export function readTurn(row: Parameters<typeof readStoredTurn>[0]): TurnRow {
  return toTurnRow(readStoredTurn(row));
}

/** The cost of a turn is stored in two columns and travels as one. */
export function toTurnRow(stored: RowOf<typeof turns.columns>): TurnRow {
  const { cost, currency } = stored;
  const spent = cost === null || currency === null ? null : { amount: cost, currency };
  return { ...pickColumns(turnColumns, stored), cost: spent };
}
