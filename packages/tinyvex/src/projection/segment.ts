// Holds a stretch of text of one kind, between two other items, while it grows.
import type { MessageKind, MessageRole } from "@signalbox/protocol";
import type { GrowingText } from "../blobs/blob-store.ts";
import type { StoredBlock } from "./message-content.ts";

/** An open message of a thread: the agent has at most one, and so has each of its sub-agents. */
export interface Segment {
  /** False until its row is first written. */
  isStored: boolean;
  readonly itemId: string;
  readonly seq: number;
  readonly role: MessageRole;
  readonly kind: MessageKind;
  /** The call of the sub-agent that speaks; null for the agent itself and the person. */
  readonly parent: string | null;
  /** The agent's own id of the message: another one begins another message. */
  messageId: string | null;
  readonly growing: GrowingText;
  /** Text that came in this window and is not in `growing` yet. */
  delta: string;
  /** Length of the whole text, `delta` included. */
  textLength: number;
  /** The first half of a character whose second half has not come yet. */
  half: string;
  blocks: readonly StoredBlock[] | null;
  lastSeq: number;
  readonly createdAt: number;
  updatedAt: number;
  dirty: boolean;
}
