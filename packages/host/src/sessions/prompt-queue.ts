// Queues the prompts of a thread. Prompts that are held back, because a turn was stopped or failed, run only when a person continues;
// until then they can be edited or removed.
import type { ContentBlock, JsonObject } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";

export interface WaitingTurn {
  readonly turnId: string;
  readonly prompt: readonly ContentBlock[];
  /** For the agent; not kept over a restart. */
  readonly meta?: JsonObject | undefined;
  /** For this prompt only. */
  readonly model?: string | undefined;
}

export class PromptQueue {
  #next: WaitingTurn[] = [];
  #held: WaitingTurn[];

  constructor(held: readonly WaitingTurn[]) {
    this.#held = [...held];
  }

  get hasHeld(): boolean {
    return this.#held.length > 0;
  }

  isHeld(turnId: string): boolean {
    return this.#held.some((turn) => turn.turnId === turnId);
  }

  add(turn: WaitingTurn): void {
    this.#next.push(turn);
  }

  shift(): WaitingTurn | undefined {
    return this.#next.shift();
  }

  hold(): void {
    this.#held.push(...this.#next.splice(0));
  }

  release(): void {
    this.#next.push(...this.#held.splice(0));
  }

  edit(turnId: string, prompt: readonly ContentBlock[]): void {
    const { list, index } = this.#find(turnId);
    list[index] = { ...list[index], turnId, prompt };
  }

  remove(turnId: string): void {
    const { list, index } = this.#find(turnId);
    list.splice(index, 1);
  }

  #find(turnId: string): { readonly list: WaitingTurn[]; readonly index: number } {
    for (const list of [this.#next, this.#held]) {
      const index = list.findIndex((turn) => turn.turnId === turnId);
      if (index >= 0) return { list, index };
    }
    throw new HostError("conflict", "This prompt is not queued any more: it runs, has run, or was removed.");
  }
}

/** The queued prompts in the register, oldest first. */
export async function waitingTurns(register: Register, threadId: string): Promise<readonly WaitingTurn[]> {
  const { rows } = await register.query("turns.list", { thread_id: threadId, limit: 1000 });
  return rows
    .filter(({ status }) => status === "queued")
    .map(({ turn_id: turnId, prompt, model }) => ({ turnId, prompt, model: model ?? undefined }));
}
