// Defines how far a client has read a thread's log, and reads that from `_meta` of a request.
import { isJsonObject } from "@signalbox/protocol";

export interface Position {
  readonly seq: number;
  /** Of the event `seq` the client has only so many characters of text; undefined where it has the whole event. */
  readonly offset?: number | undefined;
}

/** Undefined where the request names no position. */
export function readPosition(meta: unknown): Position | undefined {
  if (!isJsonObject(meta)) return undefined;
  const seq = meta["signalbox/afterSeq"];
  const offset = meta["signalbox/afterOffset"];
  if (!isCount(seq)) return undefined;
  return isCount(offset) ? { seq, offset } : { seq };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
