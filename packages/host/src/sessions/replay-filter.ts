// Filters the replay that an agent sends when it loads a session. Drops what the register already has; keeps what was added by another
// client after the last known prompt.
import { isHistory, type Update } from "@signalbox/protocol";

export class ReplayFilter {
  readonly #known: number;
  #prompts = 0;
  #previous = "";

  /** `knownPrompts`: how many prompts of the thread are in the register. */
  constructor(knownPrompts: number) {
    this.#known = knownPrompts;
  }

  /** Whether an update is new to the register. A message to a sub-agent does not count as a prompt. */
  isNew(update: Update, isOfSubAgent = false): boolean {
    if (!isHistory(update)) return true;
    if (isOfSubAgent) return this.#prompts > this.#known;
    // Successive chunks are one prompt, unless their message ids differ.
    const isPrompt = update.kind === "user_message_chunk";
    const name = update.type === "message_chunk" && isPrompt ? `${update.kind} ${update.messageId}` : update.kind;
    if (isPrompt && this.#previous !== name) this.#prompts++;
    this.#previous = name;
    return this.#prompts > this.#known;
  }
}
