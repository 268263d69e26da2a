// Remembers what each open tool call sent last. Many agents send the whole output again with every update, and the log stores only what is
// new. Forgetting an entry only costs disk space.
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

const maxLength = 4 * 1024 * 1024;

export class SentUpdates {
  /** By thread, and by tool call. */
  readonly #updates = new Map<string, Map<string, SentUpdate>>();
  #length = 0;

  find(threadId: string, toolCallId: string): SentUpdate | undefined {
    return this.#updates.get(threadId)?.get(toolCallId);
  }

  remember(threadId: string, toolCallId: string, update: SentUpdate): void {
    this.#length -= this.find(threadId, toolCallId)?.json.length ?? 0;
    if (this.#length + update.json.length > maxLength) this.clear();
    this.#length += update.json.length;
    const calls = this.#updates.get(threadId);
    if (calls === undefined) this.#updates.set(threadId, new Map([[toolCallId, update]]));
    else calls.set(toolCallId, update);
  }

  /** The tool call has ended: its last update will not be repeated. */
  forget(threadId: string, toolCallId: string): void {
    const calls = this.#updates.get(threadId);
    this.#length -= calls?.get(toolCallId)?.json.length ?? 0;
    calls?.delete(toolCallId);
    if (calls?.size === 0) this.#updates.delete(threadId);
  }

  /** Nothing that was remembered is certain to be stored. */
  clear(): void {
    this.#updates.clear();
    this.#length = 0;
  }
}
