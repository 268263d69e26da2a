// Filters the replay that an agent sends when it loads a session. Drops what the register already has; keeps what was added by another
// client after the last known prompt.
import { isHistory, type Update } from "@signalbox/protocol";

export class ReplayFilter {
  #known: number | null = null;
  #prompts = 0;
  #previous = "";

  /** From here to `end`, updates are a replay of a thread of which `knownPrompts` prompts are in the register. */
  begin(knownPrompts: number): void {
    this.#known = knownPrompts;
    this.#prompts = 0;
    this.#previous = "";
  }

  end(): void {
    this.#known = null;
  }

  /** Whether an update is new to the register. What a sub-agent was told is no prompt. */
  isNew(update: Update, isOfSubAgent = false): boolean {
    if (this.#known === null || !isHistory(update)) return true;
    if (isOfSubAgent) return this.#prompts > this.#known;
    // Successive chunks are one prompt, unless their message ids differ.
    const isPrompt = update.kind === "user_message_chunk";
    const name = update.type === "message_chunk" && isPrompt ? `${update.kind} ${update.messageId}` : update.kind;
    if (isPrompt && this.#previous !== name) this.#prompts++;
    this.#previous = name;
    return this.#prompts > this.#known;
  }
}
