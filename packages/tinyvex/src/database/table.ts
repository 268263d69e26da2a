// Makes the statements and readers of a table from its declared columns.
import type { DatabaseSync } from "node:sqlite";
import { type Columns, columnName, type RowOf, rowReader, type StoredValue } from "@signalbox/protocol";

export interface Table<Declared extends Columns = Columns> {
  readonly name: string;
  readonly columns: Declared;
  /** Its primary key and unique columns, in SQL. */
  readonly key: string;
  /** By name; what comes after `ON` and the table's name. */
  readonly indexes: Readonly<Record<string, string>>;
}

/** A row to insert: what may be null may be left out. */
type NewRow<Declared extends Columns> = {
  readonly [Field in keyof Declared as null extends RowOf<Declared>[Field] ? never : Field]: RowOf<Declared>[Field];
} & {
  readonly [Field in keyof Declared as null extends RowOf<Declared>[Field] ? Field : never]?:
    | RowOf<Declared>[Field]
    | undefined;
};

/** A row that a projection changes before it is written. */
export type Draft<Declared extends Columns> = { -readonly [Field in keyof Declared]: RowOf<Declared>[Field] };

export function table<Declared extends Columns>(
  name: string,
  columns: Declared,
  key: string,
  indexes: Readonly<Record<string, string>> = {},
): Table<Declared> {
  return { name, columns, key, indexes };
}

/** The declared columns of a row that has more: what travels of what is stored. */
export function pickColumns<Declared extends Columns>(columns: Declared, row: RowOf<Declared>): RowOf<Declared> {
  const picked: Record<string, unknown> = {};
  for (const field in columns) picked[field] = row[field];
  return picked as RowOf<Declared>;
}

/** Gives the function that reads rows; `rest` comes after `SELECT * FROM` the table. */
export function buildSelect<Declared extends Columns>(
  database: DatabaseSync,
  { name, columns }: Table<Declared>,
  rest: string,
): (...values: StoredValue[]) => RowOf<Declared>[] {
  const statement = database.prepare(`SELECT * FROM ${name} ${rest}`);
  const read = rowReader(columns);
  return (...values) => statement.all(...values).map(read);
}

/** Gives the function that inserts a row and says its rowid; null when `or` is IGNORE and the row was there. */
export function buildInsert<Declared extends Columns>(
  database: DatabaseSync,
  { name, columns }: Table<Declared>,
  or: "" | "OR IGNORE" = "",
): (row: NewRow<Declared>) => number | null {
  const names = Object.keys(columns).map((field) => columnName(columns, field));
  const statement = database.prepare(
    `INSERT ${or} INTO ${name}(${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  const values = valueWriter(columns, Object.keys(columns));
  return (row) => {
    const { changes, lastInsertRowid } = statement.run(...values(row));
    return changes === 0 ? null : Number(lastInsertRowid);
  };
}

/** Gives the function that changes the named fields of the rows that `where` says; true when there were any. */
export function buildUpdate<Declared extends Columns, Field extends keyof Declared & string>(
  database: DatabaseSync,
  { name, columns }: Table<Declared>,
  fields: readonly Field[],
  where: string,
): (values: Pick<RowOf<Declared>, Field>, ...at: StoredValue[]) => boolean {
  const changes = fields.map((field) => `${columnName(columns, field)} = ?`);
  const statement = database.prepare(`UPDATE ${name} SET ${changes.join(", ")} WHERE ${where}`);
  const values = valueWriter(columns, fields);
  return (row, ...at) => statement.run(...values(row), ...at).changes !== 0;
}

function valueWriter(columns: Columns, fields: readonly string[]): (row: object) => StoredValue[] {
  const declared = fields.map((field) => [field, columns[field]] as const);
  return (row) => {
    const values = row as Readonly<Record<string, unknown>>;
    return declared.map(([field, column]) => column?.write(values[field] ?? null) ?? null);
  };
}
