// Stores one kind of question: each is asked once and decided once, and what changed in a commit window is published at its end.
import type { DatabaseSync } from "node:sqlite";
import type { Change, Columns } from "@signalbox/protocol";
import { buildInsert, buildSelect, buildUpdate, type Table } from "../database/table.ts";
import { ChangedRows, type ChangeHead } from "./changed-rows.ts";

/** The statements for a table whose rows have `id` within their thread; a decision writes `fields`. */
export function prepareStatements<Declared extends Columns, Field extends keyof Declared & string>(
  database: DatabaseSync,
  table: Table<Declared>,
  id: keyof Declared & string,
  fields: readonly Field[],
) {
  return {
    find: buildSelect(database, table, `WHERE thread_id = ? AND ${id} = ?`),
    pending: buildSelect(database, table, "WHERE thread_id = ? AND status = 'pending'"),
    insert: buildInsert(database, table, "OR IGNORE"),
    decide: buildUpdate(database, table, fields, `thread_id = ? AND ${id} = ? AND status = 'pending'`),
  };
}

interface Statements<Row, New, Decision> {
  find(threadId: string, id: string): readonly Row[];
  pending(threadId: string): readonly Row[];
  insert(row: New): number | null;
  decide(decision: Decision, threadId: string, id: string): boolean;
}

export class QuestionTable<Row extends { readonly last_seq: number }, New, Decision> extends ChangedRows<Row> {
  readonly #statements: Statements<Row, New, Decision>;

  constructor(statements: Statements<Row, New, Decision>, toChange: (head: ChangeHead, row: Row) => Change) {
    super((threadId, id) => statements.find(threadId, id)[0], toChange);
    this.#statements = statements;
  }

  pending(threadId: string): readonly Row[] {
    return this.#statements.pending(threadId);
  }

  /** False when it was asked before. */
  ask(threadId: string, id: string, row: New): boolean {
    if (this.#statements.insert(row) === null) return false;
    this.add(threadId, id);
    return true;
  }

  /** The question as it is now; undefined when it was not open. */
  decide(threadId: string, id: string, decision: Decision): Row | undefined {
    if (!this.#statements.decide(decision, threadId, id)) return undefined;
    this.add(threadId, id);
    return this.#statements.find(threadId, id)[0];
  }
}
