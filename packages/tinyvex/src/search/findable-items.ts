// Reads what can be found in an item from its row: its title, its text, and big texts in blobs.
import type { DatabaseSync } from "node:sqlite";
import { type Json, rowReader } from "@signalbox/protocol";
import type { BlobReader, BlobRecord } from "../blobs/blob-reader.ts";
import { blobThreshold } from "../blobs/limits.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "../database/row.ts";
import { messages } from "../database/tables.ts";
import { readToolCall } from "../queries/rows.ts";
import { blobNames, searchableText } from "./searchable-text.ts";

const readMessage = rowReader(messages.columns);

export type ItemType = "thread" | "message" | "tool_call" | "terminal";

export interface FindableItem {
  readonly itemId: string;
  /** `thread`, `message`, `reason`, a kind of tool, `terminal`. */
  readonly kind: string;
  readonly status: string | null;
  readonly ts: number;
  /** The event that changed it last. */
  readonly lastSeq: number;
  readonly title: string;
  readonly body: string;
  /** Texts that are indexed in slices. */
  readonly blobs: readonly BlobRecord[];
}

export class FindableItems {
  readonly #blobs: BlobReader;
  readonly #thread;
  readonly #message;
  readonly #toolCall;
  readonly #terminal;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#thread = database.prepare("SELECT id, title, updated_at, last_seq FROM threads WHERE id = ?");
    this.#message = database.prepare("SELECT * FROM messages WHERE thread_id = ? AND seq = ?");
    this.#toolCall = database.prepare("SELECT * FROM tool_calls WHERE thread_id = ? AND seq = ?");
    this.#terminal = database.prepare("SELECT * FROM terminals WHERE thread_id = ? AND seq = ?");
  }

  /** Null when it is gone. Several terminals can begin with one event; then `itemId` says which is meant. */
  find(threadId: string, seq: number, type: string, itemId: string): FindableItem | null {
    switch (type) {
      case "thread":
        return mapRow(this.#thread.get(threadId), readThread);
      case "message":
        return mapRow(this.#message.get(threadId, seq), (row) => this.#readMessage(row));
      case "tool_call":
        return mapRow(this.#toolCall.get(threadId, seq), (row) => this.#readToolCall(row));
      case "terminal": {
        const row = this.#terminal.all(threadId, seq).find((found) => text(found, "terminal_id") === itemId);
        return mapRow(row, (found) => this.#readTerminal(found));
      }
      default:
        return null;
    }
  }

  #readMessage(row: Row): FindableItem {
    const message = readMessage(row);
    const blob = message.text_hash === null ? null : this.#blobs.byHash(message.text_hash);
    const blocks = message.content ?? [];
    const others = searchableText(blocks.flatMap((stored) => ("block" in stored ? [stored.block] : [])));
    const words = blob === null ? message.text : "";
    return {
      itemId: message.item_id,
      kind: message.kind,
      status: null,
      ts: message.updated_at,
      lastSeq: message.last_seq,
      title: "",
      body: others === "" ? words : `${words}\n${others}`,
      blobs: blob === null ? [] : [blob],
    };
  }

  #readToolCall(row: Row): FindableItem {
    const call = readToolCall(row);
    const { title, name, locations, raw_input, content, raw_output } = call;
    const values: Json[] = [...locations, raw_input, ...content, raw_output];
    return {
      itemId: call.tool_call_id,
      kind: call.kind,
      status: call.status,
      ts: call.ended_at ?? call.created_at,
      lastSeq: call.last_seq,
      title: name === null ? title : `${title} ${name}`,
      body: searchableText(values),
      blobs: blobNames(values).flatMap((blobName) => this.#blobs.byName(blobName) ?? []),
    };
  }

  #readTerminal(row: Row): FindableItem {
    const blobId = integerOrNull(row, "output_blob");
    const blob = blobId === null ? null : this.#blobs.byId(blobId);
    const isBig = blob !== null && blob.size > blobThreshold;
    return {
      itemId: text(row, "terminal_id"),
      kind: "terminal",
      status: null,
      ts: integerOrNull(row, "ended_at") ?? integer(row, "created_at"),
      lastSeq: integer(row, "last_seq"),
      title: text(row, "command"),
      body: blob === null || isBig ? "" : this.#blobs.text(blob, 0, blob.size),
      blobs: isBig ? [blob] : [],
    };
  }
}

/** A thread is found by its title. */
function readThread(row: Row): FindableItem {
  return {
    itemId: text(row, "id"),
    kind: "thread",
    status: null,
    ts: integer(row, "updated_at"),
    lastSeq: integer(row, "last_seq"),
    title: textOrNull(row, "title") ?? "",
    body: "",
    blobs: [],
  };
}

function mapRow(row: Row | undefined, read: (row: Row) => FindableItem): FindableItem | null {
  return row === undefined ? null : read(row);
}
