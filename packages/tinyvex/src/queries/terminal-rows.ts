// A terminal as it travels: the end of its output, and where the whole lies.
import type { TerminalRow } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { TAIL_BYTES } from "../blobs/limits.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "../database/row.ts";

export function toTerminalRow(row: Row, blobs: BlobReader): TerminalRow {
  const hash = textOrNull(row, "output_ref");
  const size = integer(row, "output_size");
  const blobId = integerOrNull(row, "output_blob");
  const blob = blobId === null ? null : blobs.byId(blobId);
  return {
    thread_id: text(row, "thread_id"),
    terminal_id: text(row, "terminal_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    command: text(row, "command"),
    cwd: textOrNull(row, "cwd"),
    exit_code: integerOrNull(row, "exit_code"),
    signal: textOrNull(row, "signal"),
    output: blob === null ? "" : blobs.text(blob, size - TAIL_BYTES, size),
    truncated: integer(row, "truncated") === 1,
    output_ref: hash === null ? null : { hash, size },
    created_at: integer(row, "created_at"),
    ended_at: integerOrNull(row, "ended_at"),
  };
}
