// A terminal as it travels: the end of its output, or what is new of it, and where the whole lies.
import type { TerminalRow } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { TAIL_BYTES } from "../blobs/limits.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "../database/row.ts";

/** `part`: what a change carries of the output; without it, the end of what there is. */
export function toTerminalRow(
  row: Row,
  blobs: BlobReader,
  part?: { readonly offset: number; readonly added: string },
): TerminalRow {
  const hash = textOrNull(row, "output_ref");
  const size = integer(row, "output_size");
  const blobId = integerOrNull(row, "output_blob");
  const blob = part !== undefined || blobId === null ? null : blobs.byId(blobId);
  const output = part?.added ?? (blob === null ? "" : blobs.text(blob, size - TAIL_BYTES, size));
  // Terminals of earlier versions have no length; their offset is in bytes.
  const length = integerOrNull(row, "output_length") ?? size - Buffer.byteLength(output) + output.length;
  return {
    thread_id: text(row, "thread_id"),
    terminal_id: text(row, "terminal_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    command: text(row, "command"),
    cwd: textOrNull(row, "cwd"),
    exit_code: integerOrNull(row, "exit_code"),
    signal: textOrNull(row, "signal"),
    output,
    output_offset: part?.offset ?? length - output.length,
    truncated: integer(row, "truncated") === 1,
    output_ref: hash === null ? null : { hash, size },
    created_at: integer(row, "created_at"),
    ended_at: integerOrNull(row, "ended_at"),
  };
}
