// One conversation: its folder, its history, and at most one turn at a time; prompts that come meanwhile wait their turn.
import type { StopReason } from "@agentclientprotocol/sdk";
import { runTurn } from "../loop/turn-loop.ts";
import type { Model, ModelMessage } from "../providers/model.ts";

export class Session {
  readonly id: string;
  readonly #model: Promise<Model>;
  readonly #history: ModelMessage[] = [];
  #turns: Promise<unknown> = Promise.resolve();
  #cancel = new AbortController();

  constructor(id: string, model: Promise<Model>) {
    this.id = id;
    this.#model = model;
  }

  /** Runs one turn after those before it. `say` gets the answer as it comes. */
  prompt(text: string, say: (text: string) => Promise<void>): Promise<StopReason> {
    // Taken now: a cancel means every prompt that was there when it came, also one that still waits.
    const { signal } = this.#cancel;
    const turn = this.#turns.then(() => this.#run(text, say, signal));
    this.#turns = turn.catch(() => {});
    return turn;
  }

  cancel(): void {
    this.#cancel.abort();
    this.#cancel = new AbortController();
  }

  async #run(text: string, say: (text: string) => Promise<void>, signal: AbortSignal): Promise<StopReason> {
    if (signal.aborted) return "cancelled";
    this.#history.push({ role: "user", content: [{ type: "text", text }] });
    const model = await this.#model;
    const result = await runTurn({ model, messages: this.#history, signal, say });
    if (result.text !== "") this.#history.push({ role: "assistant", content: [{ type: "text", text: result.text }] });
    return result.stopReason;
  }
}
