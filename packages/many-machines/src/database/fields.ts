// Reads columns of a result row and checks their types, so that no other file has to cast.

export type Row = Readonly<Record<string, unknown>>;

export function text(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== "string") throw wrongType(column, "text", value);
  return value;
}

export function textOrNull(row: Row | undefined, column: string): string | null {
  return row?.[column] === null ? null : text(row, column);
}

export function integer(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value !== "number") throw wrongType(column, "a number", value);
  return value;
}

export function integerOrNull(row: Row | undefined, column: string): number | null {
  return row?.[column] === null || row === undefined ? null : integer(row, column);
}

export function boolean(row: Row | undefined, column: string): boolean {
  const value = row?.[column];
  if (typeof value !== "boolean") throw wrongType(column, "true or false", value);
  return value;
}

export function bytes(row: Row | undefined, column: string): Buffer {
  const value = row?.[column];
  if (!(value instanceof Uint8Array)) throw wrongType(column, "bytes", value);
  return Buffer.from(value);
}

function wrongType(column: string, expected: string, value: unknown): Error {
  return new Error(`column ${column} should hold ${expected} but holds ${typeof value}`);
}
