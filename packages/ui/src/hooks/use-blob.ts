// Loads a large text part by part, from its beginning and from its end, when the person asks for it.

import type { BlobRef, BlobRow } from "@signalbox/protocol";
import { useCallback, useRef, useState } from "react";
import { wholeCharacters } from "../text/whole-characters.ts";
import { useSignalbox } from "./signalbox.ts";

const partBytes = 1_000_000;

interface Parts {
  /** From the beginning; null before the first part. When everything is loaded, all of it. */
  readonly head: string | null;
  /** Up to the end; null before the first part. */
  readonly tail: string | null;
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly error: string | null;
}

interface BlobText extends Pick<Parts, "head" | "tail" | "error"> {
  /** How many bytes are loaded, and how many are missing between the two parts. */
  readonly loaded: number;
  readonly missing: number;
  readonly isComplete: boolean;
  /** Loads the next part after the beginning. */
  readonly loadMore: () => void;
  /** Loads the part before what is loaded of the end. */
  readonly loadEarlier: () => void;
}

const nothing: Parts = { head: null, tail: null, headBytes: 0, tailBytes: 0, error: null };

export function useBlob(ref: BlobRef | null): BlobText {
  const { connection } = useSignalbox();
  const [parts, setParts] = useState(nothing);
  const newest = useRef(nothing);
  const loading = useRef(Promise.resolve());
  const size = ref?.size ?? 0;
  const missing = countMissingBytes(size, parts);
  const load = useCallback(
    (from: "head" | "tail") => {
      if (ref === null) return;
      const loadPart = async () => {
        const before = newest.current;
        const length = Math.min(partBytes, countMissingBytes(size, before));
        if (length <= 0) return;
        const offset = from === "head" ? before.headBytes : size - before.tailBytes - length;
        const { rows } = await connection.query("blob.get", { hash: ref.hash, offset, length });
        const [row] = rows;
        if (row !== undefined) newest.current = withPart(before, from, row);
      };
      // One after the other: where a part begins depends on those that are loaded, and no click is lost.
      loading.current = loading.current.then(loadPart).then(
        () => setParts(newest.current),
        (error: unknown) => {
          newest.current = { ...newest.current, error: String(error) };
          setParts(newest.current);
        },
      );
    },
    [connection, ref, size],
  );
  const loadMore = useCallback(() => load("head"), [load]);
  const loadEarlier = useCallback(() => load("tail"), [load]);
  const isComplete = missing <= 0;
  const { head, tail, error } = parts;
  const whole = isComplete && (head !== null || tail !== null) ? `${head ?? ""}${tail ?? ""}` : head;
  return {
    head: whole,
    tail: isComplete ? null : tail,
    loaded: size - missing,
    missing,
    isComplete,
    error,
    loadMore,
    loadEarlier,
  };
}

function countMissingBytes(size: number, { headBytes, tailBytes }: Parts): number {
  return size - headBytes - tailBytes;
}

function withPart(parts: Parts, from: "head" | "tail", row: BlobRow): Parts {
  const bytes = decodeBlob(row);
  const meets = parts.headBytes + bytes.length + parts.tailBytes >= row.size;
  const { text, before, after } = wholeCharacters(bytes, {
    begins: from === "head" || meets,
    ends: from === "tail" || meets,
  });
  const length = bytes.length - before - after;
  return from === "head"
    ? { ...parts, head: (parts.head ?? "") + text, headBytes: parts.headBytes + length, error: null }
    : { ...parts, tail: text + (parts.tail ?? ""), tailBytes: parts.tailBytes + length, error: null };
}

/** A part that ends inside a character travels as base64. */
function decodeBlob({ encoding, data }: BlobRow): Uint8Array {
  if (encoding === "utf8") return new TextEncoder().encode(data);
  return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
}
