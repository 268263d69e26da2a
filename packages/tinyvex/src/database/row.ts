// Reads columns of a result row and checks their types, so that no other file has to cast.

export type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw wrongType(column, "text", value);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw wrongType(column, "a number", value);
  return value;
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw wrongType(column, "bytes", value);
  return value;
}

function wrongType(column: string, expected: string, value: unknown): Error {
  return new Error(`column ${column} should hold ${expected} but holds ${typeof value}`);
}
