// Loads a large text part by part, when the person asks for it.
import type { BlobRef } from "@signalbox/protocol";
import { useCallback, useState } from "react";
import { queryPage } from "../connection/query.ts";
import { useSignalbox } from "./signalbox.tsx";

const partBytes = 1_000_000;

interface BlobText {
  /** The loaded part, from the beginning; null before the first one. */
  readonly text: string | null;
  /** How many bytes are loaded. */
  readonly loaded: number;
  readonly isComplete: boolean;
  readonly error: string | null;
  readonly loadMore: () => void;
}

export function useBlob(ref: BlobRef | null): BlobText {
  const { connection } = useSignalbox();
  const [state, setState] = useState<{ text: string | null; offset: number; error: string | null }>({
    text: null,
    offset: 0,
    error: null,
  });
  const loadMore = useCallback(() => {
    if (ref === null) return;
    const args = { hash: ref.hash, offset: state.offset, length: Math.min(partBytes, ref.size - state.offset) };
    queryPage(connection, "blob.get", args).then(
      ({ rows: [row] }) => {
        if (row === undefined) return;
        const text = row.encoding === "utf8" ? row.data : `[${row.length} bytes of binary data]`;
        setState((before) => ({ text: (before.text ?? "") + text, offset: before.offset + row.length, error: null }));
      },
      (error: unknown) => setState((before) => ({ ...before, error: String(error) })),
    );
  }, [connection, ref, state.offset]);
  const isComplete = ref === null || state.offset >= ref.size;
  return { text: state.text, loaded: state.offset, isComplete, error: state.error, loadMore };
}
