// Makes the row of a message: whole if it is small, the beginning of a big one, the end of a big one that still grows.
import { type MessageRow, messageColumns, type RowOf, rowReader } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { tailBytes } from "../blobs/limits.ts";
import type { Row } from "../database/row.ts";
import { pickColumns } from "../database/table.ts";
import { messages } from "../database/tables.ts";
import { toContent } from "../projection/message-content.ts";

type StoredMessage = RowOf<typeof messages.columns>;

const readStored = rowReader(messages.columns);

export function toMessageRow(row: Row, blobs: BlobReader): MessageRow {
  const stored = readStored(row);
  const { text_hash: hash, text_size: size, content: blocks } = stored;
  const { text, offset } = readTail(stored, blobs);
  return {
    ...pickColumns(messageColumns, stored),
    text,
    text_offset: offset,
    text_ref: hash === null || size === null ? null : { hash, size },
    content: blocks === null ? null : toContent(blocks, text, offset),
  };
}

function readTail({ text, text_blob, text_len }: StoredMessage, blobs: BlobReader): { text: string; offset: number } {
  const growing = text_blob === null ? null : blobs.byId(text_blob);
  if (growing === null) return { text, offset: 0 };
  const tail = blobs.text(growing, growing.size - tailBytes, growing.size);
  return { text: tail, offset: text_len - tail.length };
}
