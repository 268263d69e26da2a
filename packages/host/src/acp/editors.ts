// This module knows which connected editors serve the files of a thread. An editor has text that is not saved yet, so it is asked before the disk;
// of several, the one that connected last.
import type { ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk";

export interface Editor {
  /** Undefined where the editor does not serve reads. */
  readonly read?: ((params: Omit<ReadTextFileRequest, "sessionId">) => Promise<string>) | undefined;
  readonly write?: ((params: Omit<WriteTextFileRequest, "sessionId">) => Promise<void>) | undefined;
}

export class Editors {
  readonly #byThread = new Map<string, Editor[]>();

  /** Returns the way to remove it. */
  add(threadId: string, editor: Editor): () => void {
    const editors = this.#byThread.get(threadId) ?? [];
    this.#byThread.set(threadId, [...editors, editor]);
    return () => {
      const others = (this.#byThread.get(threadId) ?? []).filter((other) => other !== editor);
      if (others.length === 0) this.#byThread.delete(threadId);
      else this.#byThread.set(threadId, others);
    };
  }

  /** Whether any client of the thread is connected, with files or without. */
  isAttached(threadId: string): boolean {
    return this.#byThread.has(threadId);
  }

  /** The editor that does this for the thread; undefined where none does. */
  find<Does extends keyof Editor>(threadId: string, does: Does): Editor[Does] {
    return this.#byThread.get(threadId)?.findLast((editor) => editor[does] !== undefined)?.[does];
  }
}
