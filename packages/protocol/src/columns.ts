// Defines the columns of the register's tables: the type of a value in a row, and how it is stored. A table is declared once, as an object of
// columns. The type of its rows and its statements are derived from that.
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** A value as SQLite stores it in a column. */
export type StoredValue = null | number | string;

export interface Column<Value> {
  /** The column's name in the table is the field's with this at its end. */
  readonly suffix: "" | "_json";
  /** The type of the column in SQLite. */
  readonly type: "TEXT" | "INTEGER" | "REAL";
  /** Throws for a value that was never written by this column. */
  read(stored: unknown): Value;
  write(value: Value): StoredValue;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type RowOf<Declared extends Columns> = {
  readonly [Field in keyof Declared]: Declared[Field] extends Column<infer Value> ? Value : never;
};

export const text: Column<string> = {
  suffix: "",
  type: "TEXT",
  read: (stored) => (typeof stored === "string" ? stored : refuse("text", stored)),
  write: (value) => value,
};

/** A whole number. */
export const number: Column<number> = {
  suffix: "",
  type: "INTEGER",
  read: (stored) => (typeof stored === "number" ? stored : refuse("a number", stored)),
  write: (value) => value,
};

/** A number with a fraction, such as an amount of money. */
export const fraction: Column<number> = { ...number, type: "REAL" };

export const boolean: Column<boolean> = {
  suffix: "",
  type: "INTEGER",
  read: (stored) => stored === 1,
  write: (value) => (value ? 1 : 0),
};

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return {
    suffix: column.suffix,
    type: column.type,
    read: (stored) => (stored === null ? null : column.read(stored)),
    write: (value) => (value === null ? null : column.write(value)),
  };
}

/** One of the words that are known; any other, which only a newer version can have written, reads as `otherwise`. */
export function oneOf<Word extends string>(known: readonly Word[], otherwise: NoInfer<Word>): Column<Word> {
  return {
    suffix: "",
    type: "TEXT",
    read: (stored) => known.find((word) => word === stored) ?? otherwise,
    write: (value) => value,
  };
}

/** Any JSON value; null is stored as NULL. */
export const json: Column<Json> = {
  suffix: "_json",
  type: "TEXT",
  read: parse,
  write: (value) => (value === null ? null : JSON.stringify(value)),
};

export const jsonObject: Column<JsonObject | null> = {
  suffix: "_json",
  type: "TEXT",
  read: (stored) => {
    const value = parse(stored);
    return isJsonObject(value) ? value : null;
  },
  write: (value) => (value === null ? null : JSON.stringify(value)),
};

/** A list; items that are not of its kind are left out when it is read. */
export function list<Item>(isItem: (value: Json) => value is Item & Json): Column<readonly Item[]> {
  return {
    suffix: "_json",
    type: "TEXT",
    read: (stored) => {
      const value = parse(stored);
      return Array.isArray(value) ? value.filter(isItem) : [];
    },
    write: (value) => JSON.stringify(value),
  };
}

/** Gives the function that makes a row of what a database gave. */
export function rowReader<Declared extends Columns>(
  columns: Declared,
): (row: Readonly<Record<string, unknown>>) => RowOf<Declared> {
  const declared = Object.entries(columns).map(
    ([field, column]) => [field, columnName(columns, field), column] as const,
  );
  return (row) => {
    const read: Record<string, unknown> = {};
    // A row that another machine sent may lack a field.
    for (const [field, name, column] of declared) read[field] = column.read(row[name] ?? null);
    // Each column has given the value of its field.
    return read as RowOf<Declared>;
  };
}

/** The same of a row as it travels, from a program that may send anything. Throws when it is no such row. */
export function sentRowReader<Declared extends Columns>(columns: Declared): (row: JsonObject) => RowOf<Declared> {
  const read = rowReader(columns);
  return (row) =>
    read(
      Object.fromEntries(
        Object.entries(columns).map(([field, column]) => [
          columnName(columns, field),
          toStored(row[field] ?? null, column),
        ]),
      ),
    );
}

function toStored(value: Json, { suffix }: Column<unknown>): Json {
  if (suffix === "_json" && value !== null) return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) : value;
}

/** The name of a field in its table. */
export function columnName(columns: Columns, field: string): string {
  return `${field}${columns[field]?.suffix ?? ""}`;
}

function parse(stored: unknown): Json {
  if (stored === null) return null;
  return typeof stored === "string" ? JSON.parse(stored) : refuse("JSON", stored);
}

function refuse(expected: string, stored: unknown): never {
  throw new Error(`a column should hold ${expected} but holds ${typeof stored}`);
}
