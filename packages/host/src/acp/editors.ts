// This module knows which connected editors serve the files of a thread, and what they gave when they opened it. An editor has text that is not
// saved yet, so it is asked before the disk; of several, the one that connected last.
import type { ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk";
import type { JsonObject } from "@signalbox/protocol";

/** The params that a client gave for the agent's session when it opened the thread. */
export interface ClientSessionParams {
  readonly mcpServers: readonly JsonObject[];
  readonly meta?: JsonObject | undefined;
}

export interface Editor {
  /** Undefined where the editor does not serve reads. */
  readonly read?: ((params: Omit<ReadTextFileRequest, "sessionId">) => Promise<string>) | undefined;
  readonly write?: ((params: Omit<WriteTextFileRequest, "sessionId">) => Promise<void>) | undefined;
}

export class Editors {
  readonly #byThread = new Map<string, Editor[]>();
  /** In memory only: MCP servers and `_meta` may have secrets. */
  readonly #openings = new Map<string, ClientSessionParams>();

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

  /** For every further start of the thread's agent, until a client opens the thread with something else. */
  keepOpening(threadId: string, opening: ClientSessionParams): void {
    this.#openings.set(threadId, opening);
  }

  getOpening(threadId: string): ClientSessionParams | undefined {
    return this.#openings.get(threadId);
  }

  forgetOpening(threadId: string): void {
    this.#openings.delete(threadId);
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
