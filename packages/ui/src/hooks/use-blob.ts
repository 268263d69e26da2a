// The whole of something big, fetched by ranges when the person asks for it.
import type { BlobRef } from "@signalbox/protocol";
import { useCallback, useState } from "react";
import { queryPage } from "../connection/query.ts";
import { useSignalbox } from "./signalbox.tsx";

const range = 1_000_000;

export interface BlobText {
  /** What is loaded, from the beginning; null before anything was asked for. */
  readonly text: string | null;
  /** How many bytes of it are loaded. */
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
    const args = { hash: ref.hash, offset: state.offset, length: Math.min(range, ref.size - state.offset) };
    queryPage(connection, "blob.get", args).then(
      ({ rows: [row] }) => {
        if (row === undefined) return;
        const text = row.encoding === "utf8" ? row.data : `[${row.length} bytes that are no text]`;
        setState((before) => ({ text: (before.text ?? "") + text, offset: before.offset + row.length, error: null }));
      },
      (error: unknown) => setState((before) => ({ ...before, error: String(error) })),
    );
  }, [connection, ref, state.offset]);
  const isComplete = ref === null || state.offset >= ref.size;
  return { text: state.text, loaded: state.offset, isComplete, error: state.error, loadMore };
}
