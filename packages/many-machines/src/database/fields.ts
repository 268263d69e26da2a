// Reads columns of a result row and checks their types, so that no other file has to cast.

export type Row = Readonly<Record<string, unknown>>;

export function readText(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== "string") throw makeTypeError(column, "text", value);
  return value;
}

export function readTextOrNull(row: Row | undefined, column: string): string | null {
  return row?.[column] === null ? null : readText(row, column);
}

export function readInteger(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value !== "number") throw makeTypeError(column, "a number", value);
  return value;
}

export function readIntegerOrNull(row: Row | undefined, column: string): number | null {
  return row?.[column] === null || row === undefined ? null : readInteger(row, column);
}

export function readBoolean(row: Row | undefined, column: string): boolean {
  const value = row?.[column];
  if (typeof value !== "boolean") throw makeTypeError(column, "true or false", value);
  return value;
}

export function readBytes(row: Row | undefined, column: string): Buffer {
  const value = row?.[column];
  if (!(value instanceof Uint8Array)) throw makeTypeError(column, "bytes", value);
  return Buffer.from(value);
}

function makeTypeError(column: string, expected: string, value: unknown): Error {
  return new Error(`column ${column} should hold ${expected} but holds ${typeof value}`);
}
