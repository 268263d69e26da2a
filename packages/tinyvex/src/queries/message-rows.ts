// A message as it travels: whole when it is small, the beginning of a big one, the end of a big one that still grows.
import type { MessageRow } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { TAIL_BYTES } from "../blobs/limits.ts";
import { integer, integerOrNull, json, type Row, text, textOrNull } from "../database/row.ts";
import { parseBlocks, toContent } from "../projection/message-content.ts";

export function toMessageRow(row: Row, blobs: BlobReader): MessageRow {
  const hash = textOrNull(row, "text_hash");
  const blocks = parseBlocks(json(row, "content_json"));
  const shown = shownText(row, blobs);
  return {
    thread_id: text(row, "thread_id"),
    item_id: text(row, "item_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    role: row["role"] === "user" ? "user" : "assistant",
    kind: row["kind"] === "reason" ? "reason" : "message",
    text: shown.text,
    text_offset: shown.offset,
    text_len: integer(row, "text_len"),
    text_ref: hash === null ? null : { hash, size: integer(row, "text_size") },
    content: blocks === null ? null : toContent(blocks, shown.text, shown.offset),
    partial: integer(row, "partial") === 1,
    created_at: integer(row, "created_at"),
    updated_at: integer(row, "updated_at"),
  };
}

function shownText(row: Row, blobs: BlobReader): { readonly text: string; readonly offset: number } {
  const blobId = integerOrNull(row, "text_blob");
  const growing = blobId === null ? null : blobs.byId(blobId);
  if (growing === null) return { text: text(row, "text"), offset: 0 };
  const tail = blobs.text(growing, growing.size - TAIL_BYTES, growing.size);
  return { text: tail, offset: integer(row, "text_len") - tail.length };
}
