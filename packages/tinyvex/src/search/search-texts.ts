// The text of an item that a search found, to cut the snippet from: the index itself keeps no text.
import type { DatabaseSync } from "node:sqlite";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { BLOB_THRESHOLD } from "../blobs/limits.ts";
import { integer, integerOrNull, json, type Row, text } from "../database/row.ts";
import { parseBlocks } from "../projection/message-content.ts";
import { readToolCall } from "../projection/tool-calls.ts";
import { searchableText } from "./searchable-text.ts";

export class SearchTexts {
  readonly #blobs: BlobReader;
  readonly #message;
  readonly #toolCall;
  readonly #terminal;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#message = database.prepare("SELECT text, content_json FROM messages WHERE thread_id = ? AND seq = ?");
    this.#toolCall = database.prepare("SELECT * FROM tool_calls WHERE thread_id = ? AND seq = ?");
    this.#terminal = database.prepare("SELECT * FROM terminals WHERE thread_id = ? AND terminal_id = ?");
  }

  of(hit: Row): string {
    const blobId = integerOrNull(hit, "blob_id");
    if (blobId !== null) {
      const blob = this.#blobs.byId(blobId);
      return blob === null ? "" : this.#blobs.text(blob, integer(hit, "start"), integer(hit, "end"));
    }
    const threadId = text(hit, "thread_id");
    switch (text(hit, "item")) {
      case "message":
        return messageText(this.#message.get(threadId, integer(hit, "seq")));
      case "tool_call":
        return toolCallText(this.#toolCall.get(threadId, integer(hit, "seq")));
      case "terminal":
        return this.#terminalText(this.#terminal.get(threadId, text(hit, "item_id")));
      default:
        return "";
    }
  }

  #terminalText(row: Row | undefined): string {
    if (row === undefined) return "";
    const blobId = integerOrNull(row, "output_blob");
    const blob = blobId === null ? null : this.#blobs.byId(blobId);
    return `${text(row, "command")}\n${blob === null ? "" : this.#blobs.text(blob, 0, BLOB_THRESHOLD)}`;
  }
}

function messageText(row: Row | undefined): string {
  if (row === undefined) return "";
  const blocks = parseBlocks(json(row, "content_json")) ?? [];
  const others = searchableText(blocks.flatMap((stored) => ("block" in stored ? [stored.block] : [])));
  return `${text(row, "text")}\n${others}`;
}

function toolCallText(row: Row | undefined): string {
  if (row === undefined) return "";
  const { title, name, locations, rawInput, content, rawOutput } = readToolCall(row);
  return `${title} ${name ?? ""}\n${searchableText([...locations, rawInput, ...content, rawOutput])}`;
}
