// Projects text chunks: they are appended to the open segment of who speaks, the agent or one of its sub-agents, and any other item of the same
// speaker closes it. The text of an open segment grows in pieces beside the row, so that every chunk costs the same.
import type { DatabaseSync } from "node:sqlite";
import type {
  Change,
  ChunkKind,
  ContentBlock,
  MessageChange,
  MessageChunk,
  MessageKind,
  MessageRole,
  RowOf,
  SessionMessage,
} from "@signalbox/protocol";
import { isContentBlock, isJsonObject, isTextBlock } from "@signalbox/protocol";
import type { SealedBlob } from "../blobs/blob-reader.ts";
import { type BlobStore, isHighSurrogate } from "../blobs/blob-store.ts";
import { blobThreshold, previewBytes } from "../blobs/limits.ts";
import { buildInsert, buildSelect, buildUpdate } from "../database/table.ts";
import { messages } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { isLongText } from "../log/long-text.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { previewPart, textPieces } from "./big-values.ts";
import { toContent, withText } from "./message-content.ts";
import type { Segment } from "./segment.ts";
import type { ThreadState } from "./thread-state.ts";

/** The most text that one change carries, in UTF-16 units. */
const maxDelta = 512 * 1024;

/** Of how many sub-agents a text can be open at a time; the oldest is closed before another one begins. */
const maxOpen = 32;

interface Speaker {
  readonly role: MessageRole;
  readonly kind: MessageKind;
  readonly parent: string | null;
}

const speakers: Record<ChunkKind, Omit<Speaker, "parent">> = {
  user_message_chunk: { role: "user", kind: "message" },
  agent_message_chunk: { role: "assistant", kind: "message" },
  agent_thought_chunk: { role: "assistant", kind: "reason" },
};
/** A session and its sub-agent, talking to each other. */
const exchange = { role: "assistant", kind: "notice" } as const;

export class Messages {
  readonly #blobs: BlobStore;
  readonly #search: SearchIndex;
  readonly #statements;

  constructor(database: DatabaseSync, blobs: BlobStore, search: SearchIndex) {
    this.#blobs = blobs;
    this.#search = search;
    this.#statements = {
      open: buildSelect(database, messages, "WHERE thread_id = ? AND partial = 1 ORDER BY seq"),
      insert: buildInsert(database, messages),
      update: buildUpdate(
        database,
        messages,
        [
          "last_seq",
          "text",
          "text_len",
          "text_hash",
          "text_size",
          "text_blob",
          "half",
          "content",
          "message_id",
          "partial",
          "updated_at",
        ],
        "thread_id = ? AND seq = ?",
      ),
    };
  }

  /** The segments that were open when the thread was last written. */
  load(threadId: string): Map<string | null, Segment> {
    return new Map(
      this.#statements.open(threadId).map((row) => [row.parent_tool_call_id, this.#resume(threadId, row)]),
    );
  }

  #resume(threadId: string, row: RowOf<typeof messages.columns>): Segment {
    return {
      isStored: true,
      itemId: row.item_id,
      seq: row.seq,
      role: row.role,
      kind: row.kind,
      parent: row.parent_tool_call_id,
      messageId: row.message_id,
      growing: this.#blobs.resume(threadId, "rows", row.text_blob),
      delta: "",
      textLength: row.text_len,
      half: halfFromColumn(row.half),
      blocks: row.content,
      lastSeq: row.last_seq,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      dirty: false,
    };
  }

  /** `parent`: the call of the sub-agent that says it. What a sub-agent is told was not said by the person. */
  applyChunk(
    state: ThreadState,
    event: LoggedEvent,
    { kind, content, messageId }: MessageChunk,
    parent: string | null,
    changes: Change[],
  ): void {
    const isTold = parent !== null && kind === "user_message_chunk";
    this.#append(state, event, { ...(isTold ? exchange : speakers[kind]), parent }, content, messageId, changes);
  }

  /** Adds a part of what a session and its sub-agent say to each other. */
  applyMessage(
    state: ThreadState,
    event: LoggedEvent,
    { blocks, messageId }: SessionMessage,
    parent: string | null,
    changes: Change[],
  ): void {
    for (const block of blocks) this.#append(state, event, { ...exchange, parent }, block, messageId, changes);
  }

  #append(
    state: ThreadState,
    event: LoggedEvent,
    speaker: Speaker,
    block: ContentBlock,
    messageId: string | null,
    changes: Change[],
  ): void {
    // Some agents begin with a chunk that says nothing: that is no message yet.
    if (isTextBlock(block) && block.text === "") return;
    const open = state.segments.get(speaker.parent);
    const continues =
      open !== undefined &&
      open.role === speaker.role &&
      open.kind === speaker.kind &&
      (open.messageId === messageId || open.messageId === null || messageId === null);
    const segment = continues ? open : this.#begin(state, event, speaker, changes);
    segment.messageId ??= messageId;
    this.#addBlock(segment, event, block);
    touch(segment, event);
  }

  /** Adds a whole message: the user's prompt, which came in `queued`. Blocks stand on lines of their own. */
  addPrompt(state: ThreadState, event: LoggedEvent, queued: LoggedEvent, changes: Change[]): void {
    const prompt = readPrompt(queued);
    if (prompt.length === 0) return this.close(state, event, null, changes);
    const segment = this.#begin(state, event, { role: "user", kind: "message", parent: null }, changes);
    if (prompt.length > 1) segment.blocks = [];
    prompt.forEach((block, index) => {
      if (index > 0 && block.type === "text" && segment.textLength > 0) this.#addText(segment, "\n", false);
      this.#addBlock(segment, queued, block);
    });
    touch(segment, event);
    this.close(state, event, null, changes);
  }

  /** Adds what an agent or a sub-agent has to say beside its answer. */
  addNotice(state: ThreadState, event: LoggedEvent, text: string, parent: string | null, changes: Change[]): void {
    const segment = this.#begin(state, event, { role: "assistant", kind: "notice", parent }, changes);
    this.#addText(segment, text, true);
    touch(segment, event);
    this.close(state, event, parent, changes);
  }

  /** Closes every open segment. */
  closeAll(state: ThreadState, event: LoggedEvent, changes: Change[]): void {
    for (const parent of state.segments.keys()) this.close(state, event, parent, changes);
  }

  /** Closes the open segment of the agent (null) or of a sub-agent, if there is one. */
  close(state: ThreadState, event: LoggedEvent, parent: string | null, changes: Change[]): void {
    const segment = state.segments.get(parent);
    if (segment === undefined) return;
    state.segments.delete(parent);
    if (segment.half !== "") this.#addText(segment, "", true, "\ufffd");
    if (segment.dirty) changes.push(this.#describeChange(segment, state.record.id));
    segment.lastSeq = event.seq;
    this.#write(segment, state.record.id, true);
    this.#search.queue(state.record.id, segment.seq, "message", segment.itemId);
    changes.push({
      type: "tinyvex.finalize",
      stream: "messages",
      thread_id: state.record.id,
      seq: event.seq,
      item_id: segment.itemId,
      text_len: segment.textLength,
    });
  }

  /** Writes what came in this window to the segments that stay open. */
  flush(state: ThreadState, changes: Change[]): void {
    for (const segment of state.segments.values()) {
      if (!segment.dirty) continue;
      changes.push(this.#describeChange(segment, state.record.id));
      this.#write(segment, state.record.id, false);
    }
  }

  #begin(state: ThreadState, event: LoggedEvent, speaker: Speaker, changes: Change[]): Segment {
    this.close(state, event, speaker.parent, changes);
    const [oldest] = state.segments.keys();
    if (state.segments.size >= maxOpen && oldest !== undefined) this.close(state, event, oldest, changes);
    state.record.message_count++;
    const segment: Segment = {
      isStored: false,
      itemId: `m${event.seq}`,
      seq: event.seq,
      ...speaker,
      messageId: null,
      growing: this.#blobs.grow(state.record.id, "rows"),
      delta: "",
      textLength: 0,
      half: "",
      blocks: null,
      lastSeq: event.seq,
      createdAt: event.ts,
      updatedAt: event.ts,
      dirty: true,
    };
    state.segments.set(speaker.parent, segment);
    return segment;
  }

  #addBlock(segment: Segment, event: LoggedEvent, block: ContentBlock): void {
    const sent = block.type === "text" ? block.text : undefined;
    if (typeof sent === "string" || isLongText(sent)) {
      for (const piece of textPieces(sent, this.#blobs.reader)) this.#addText(segment, piece, true);
      return;
    }
    const before = segment.blocks ?? withText([], 0, segment.textLength);
    const preview = previewPart(block, event, this.#blobs.reader);
    segment.blocks = isContentBlock(preview) ? [...before, { block: preview }] : before;
  }

  /** Adds text. Half a character at its end waits for its other half; any other broken character becomes U+FFFD. */
  #addText(segment: Segment, added: string, asBlock: boolean, half = segment.half): void {
    let whole = half + added;
    segment.half = isHighSurrogate(whole, whole.length - 1) ? whole.slice(-1) : "";
    if (segment.half !== "") whole = whole.slice(0, -1);
    whole = whole.toWellFormed();
    const start = segment.textLength;
    segment.delta += whole;
    segment.textLength += whole.length;
    if (segment.blocks !== null && asBlock) segment.blocks = withText(segment.blocks, start, segment.textLength);
    // So much in one change is not sent to a screen: it sees that it missed something and asks for what there is to see.
    if (segment.delta.length > maxDelta) {
      this.#blobs.append(segment.growing, segment.delta);
      segment.delta = "";
    }
  }

  #write(segment: Segment, threadId: string, final: boolean): void {
    const { growing, seq } = segment;
    const stored = final ? this.#finish(segment) : this.#grow(segment);
    const row = {
      thread_id: threadId,
      item_id: segment.itemId,
      seq,
      last_seq: segment.lastSeq,
      role: segment.role,
      kind: segment.kind,
      text: stored.text,
      text_len: segment.textLength,
      text_hash: stored.blob?.hash ?? null,
      text_size: stored.blob?.size ?? null,
      text_blob: final ? null : growing.blobId,
      half: halfToColumn(segment.half),
      content: segment.blocks,
      message_id: segment.messageId,
      partial: !final,
      parent_tool_call_id: segment.parent,
      created_at: segment.createdAt,
      updated_at: segment.updatedAt,
    };
    if (segment.isStored) this.#statements.update(row, threadId, seq);
    else this.#statements.insert(row);
    segment.isStored = true;
    segment.delta = "";
    segment.dirty = false;
  }

  /** Returns the change that this window made to the message. */
  #describeChange(segment: Segment, threadId: string): MessageChange {
    const { growing, delta, blocks } = segment;
    const offset = segment.textLength - delta.length;
    const change = {
      type: "tinyvex.update",
      stream: "messages",
      thread_id: threadId,
      seq: segment.lastSeq,
      item_id: segment.itemId,
      item_seq: segment.seq,
      role: segment.role,
      kind: segment.kind,
      ...(segment.parent !== null && { parent_tool_call_id: segment.parent }),
      text_offset: offset,
      text_delta: delta,
      ts: segment.updatedAt,
    } as const;
    if (blocks === null) return change;
    // A message of blocks is shown whole, as long as it is not big: then its text runs say only what is new.
    const isBig = growing.size > blobThreshold;
    const content = isBig
      ? toContent(blocks, delta, offset)
      : toContent(blocks, this.#blobs.readAll(growing) + delta, 0);
    return { ...change, content };
  }

  #grow(segment: Segment): StoredText {
    if (segment.delta !== "") this.#blobs.append(segment.growing, segment.delta);
    return { text: "", blob: null };
  }

  #finish(segment: Segment): StoredText {
    const { growing, delta } = segment;
    if (growing.size + Buffer.byteLength(delta) <= blobThreshold) {
      const whole = this.#blobs.readAll(growing) + delta;
      this.#blobs.discard(growing);
      return { text: whole, blob: null };
    }
    if (delta !== "") this.#blobs.append(growing, delta);
    const preview = this.#blobs.readStart(growing, previewBytes);
    return { text: preview, blob: this.#blobs.seal(growing, "replace") };
  }
}

interface StoredText {
  readonly text: string;
  readonly blob: SealedBlob | null;
}

function touch(segment: Segment, event: LoggedEvent): void {
  segment.lastSeq = event.seq;
  segment.updatedAt = event.ts;
  segment.dirty = true;
}

function readPrompt({ value }: LoggedEvent): readonly ContentBlock[] {
  return isJsonObject(value) && Array.isArray(value.prompt) ? value.prompt.filter(isContentBlock) : [];
}

// A lone surrogate cannot be stored as text: its number can.
function halfToColumn(half: string): string | null {
  return half === "" ? null : half.charCodeAt(0).toString(16);
}

function halfFromColumn(column: string | null): string {
  return column === null ? "" : String.fromCharCode(Number.parseInt(column, 16));
}
