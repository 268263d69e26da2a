// Reads fields of unknown values: what the SDK yields is the output of another program.

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none for anything else. */
export function readFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function readCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
