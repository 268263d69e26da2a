// The register's tables as they are stored: the columns that travel (packages/protocol/src/tables.ts) and those that stay inside.
import {
  column,
  elicitationColumns,
  permissionColumns,
  planColumns,
  stateColumns,
  threadColumns,
  threadStatus,
  turnColumns,
} from "@signalbox/protocol";
import { table } from "./table.ts";

const { nullable, number, oneOf, text } = column;

/** Who gave the thread its title: an agent's title never replaces a person's. */
type TitleBy = "person" | "agent";

export const threads = table("threads", {
  ...threadColumns,
  title_by: nullable(oneOf<TitleBy>(["person", "agent"], "agent")),
  /** The status when nothing runs and nothing waits. */
  rest_status: threadStatus,
  message_count: number,
  tool_call_count: number,
  bytes: number,
});

export const turns = table("turns", {
  ...turnColumns,
  /** The event that has the prompt. */
  prompt_seq: number,
  cost: nullable(number),
  currency: nullable(text),
  input_tokens: nullable(number),
  output_tokens: nullable(number),
  total_tokens: nullable(number),
  queued_at: number,
});

export const permissions = table("permissions", permissionColumns);

export const elicitations = table("elicitations", elicitationColumns);

/** What travels of the plan and of the state of a thread. */
export const planTable = table("plans", planColumns);
export const stateTable = table("thread_state", stateColumns);

export const storedPlans = table("plans", { ...planColumns, last_seq: number });
export const storedStates = table("thread_state", { ...stateColumns, session_cost: number, last_seq: number });
