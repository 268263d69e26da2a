// An agent that loads a session tells its whole history again. What the register has already is not written a second time; what
// happened elsewhere meanwhile, after the last prompt we know, is new.
import { isJsonObject } from "@signalbox/protocol";

/** Updates that tell history; all others (modes, commands, usage …) tell how things stand now. */
const history = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

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

  /** Whether an update is new to the register. */
  isNew(params: unknown): boolean {
    if (this.#known === null) return true;
    const kind = kindOf(params);
    if (!history.has(kind)) return true;
    // Chunks that follow each other are one prompt, unless they say that they are not.
    const name = kind === "user_message_chunk" ? `${kind} ${messageIdOf(params)}` : kind;
    if (kind === "user_message_chunk" && this.#previous !== name) this.#prompts++;
    this.#previous = name;
    return this.#prompts > this.#known;
  }
}

function kindOf(params: unknown): string {
  return textIn(params, "sessionUpdate");
}

function messageIdOf(params: unknown): string {
  return textIn(params, "messageId");
}

function textIn(params: unknown, field: string): string {
  const update = isJsonObject(params) ? params.update : undefined;
  const value = isJsonObject(update) ? update[field] : undefined;
  return typeof value === "string" ? value : "";
}
