// Looks at entries of a folder where links may go in circles.
import { type BigIntStats, lstatSync } from "node:fs";

/** The entry's own facts, a link at its end not followed; undefined where there is none, and behind links that lead to themselves. */
export function readEntryStatus(file: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP") return undefined;
    throw error;
  }
}
