// Makes the row of a terminal: the end of its output or its new part, and where the whole is.
import { rowReader, type TerminalRow, terminalColumns } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { tailBytes } from "../blobs/limits.ts";
import type { Row } from "../database/row.ts";
import { pickColumns } from "../database/table.ts";
import { terminals } from "../database/tables.ts";

const readStored = rowReader(terminals.columns);

/** `part`: what a change carries of the output; without it, the end of what there is. */
export function toTerminalRow(
  row: Row,
  blobs: BlobReader,
  part?: { readonly offset: number; readonly added: string },
): TerminalRow {
  const stored = readStored(row);
  const { output_ref: hash, output_size: size, output_length: length, output_blob: blobId } = stored;
  const blob = part !== undefined || blobId === null ? null : blobs.byId(blobId);
  const output = part?.added ?? (blob === null ? "" : blobs.text(blob, size - tailBytes, size));
  return {
    ...pickColumns(terminalColumns, stored),
    output,
    output_offset: part?.offset ?? length - output.length,
    output_ref: hash === null ? null : { hash, size },
  };
}
