// Reads limits and cursors, which many queries have. The protocol's schemas check the types of arguments; a cursor is checked here.
import { RegisterError } from "../register.ts";

const defaultLimit = 50;
const maxLimit = 1000;

export function chooseLimit({ limit }: { readonly limit?: number | null | undefined }): number {
  return Math.min(maxLimit, Math.max(1, limit ?? defaultLimit));
}

/** A cursor is the position where the next page begins, as an opaque string. */
export function toCursor(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Null when there is none. Throws `bad_request` when it is not one of ours. */
export function parseCursor({
  cursor,
}: {
  readonly cursor?: string | null | undefined;
}): readonly (string | number)[] | null {
  if (cursor === undefined || cursor === null) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(position) && position.every((part) => typeof part === "string" || typeof part === "number")) {
      return position;
    }
  } catch {
    // Not ours: refused below.
  }
  throw badCursor();
}

export function badCursor(): RegisterError {
  return new RegisterError("bad_request", "cursor must be the next_cursor of an earlier answer.");
}
