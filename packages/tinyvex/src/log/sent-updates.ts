// Agents send the whole output of a running tool call again with every update. What an open call sent last is remembered here,
// so that the log stores of the next update only what is new.
import type { SealedBlob } from "../blobs/blob-reader.ts";

/** The last update of an open tool call, as the log has it. */
export interface SentUpdate {
  readonly seq: number;
  readonly json: string;
  /** How many events have to be read to read this one. */
  readonly depth: number;
  /** Its long texts, by their place. */
  readonly texts: ReadonlyMap<string, SealedBlob>;
}

const maxCalls = 64;
const maxLength = 4 * 1024 * 1024;

export class SentUpdates {
  /** By thread and call, the most recent last. */
  readonly #updates = new Map<string, SentUpdate>();
  #length = 0;

  find(threadId: string, toolCallId: string): SentUpdate | undefined {
    return this.#updates.get(keyOf(threadId, toolCallId));
  }

  remember(threadId: string, toolCallId: string, update: SentUpdate): void {
    this.forget(threadId, toolCallId);
    this.#updates.set(keyOf(threadId, toolCallId), update);
    this.#length += update.json.length;
    for (const oldest of this.#updates.keys()) {
      if (this.#updates.size <= maxCalls && this.#length <= maxLength) return;
      this.#forget(oldest);
    }
  }

  /** The tool call has ended, or the update was not stored. */
  forget(threadId: string, toolCallId: string): void {
    this.#forget(keyOf(threadId, toolCallId));
  }

  clear(): void {
    this.#updates.clear();
    this.#length = 0;
  }

  #forget(key: string): void {
    this.#length -= this.#updates.get(key)?.json.length ?? 0;
    this.#updates.delete(key);
  }
}

function keyOf(threadId: string, toolCallId: string): string {
  return `${threadId}\n${toolCallId}`;
}
