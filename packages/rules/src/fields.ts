// Reads the fields of a value of which nothing is known.

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object; none for anything else. */
export function readFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}
