// A terminal as it travels: the end of its output, read from the pieces while it still runs.
import type { TerminalRow } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { TAIL_BYTES } from "../blobs/limits.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "../database/row.ts";

export function toTerminalRow(row: Row, blobs: BlobReader): TerminalRow {
  const hash = textOrNull(row, "output_hash");
  const size = integer(row, "output_size");
  return {
    thread_id: text(row, "thread_id"),
    terminal_id: text(row, "terminal_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    command: text(row, "command"),
    cwd: textOrNull(row, "cwd"),
    exit_code: integerOrNull(row, "exit_code"),
    signal: textOrNull(row, "signal"),
    output: outputOf(row, blobs),
    truncated: integer(row, "truncated") === 1,
    output_ref: hash === null ? null : { hash, size },
    created_at: integer(row, "created_at"),
    ended_at: integerOrNull(row, "ended_at"),
  };
}

function outputOf(row: Row, blobs: BlobReader): string {
  const blobId = integerOrNull(row, "output_blob");
  const growing = blobId === null ? null : blobs.byId(blobId);
  return growing === null ? text(row, "output") : blobs.text(growing, growing.size - TAIL_BYTES, growing.size);
}
