// Filters the replay that an agent sends when it loads a session. Drops what the register already has; keeps what was added by another
// client after the last known prompt.
import { isJsonObject } from "@signalbox/protocol";

/** Updates that belong to the history; all others (modes, commands, usage …) describe the present state. */
const history = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "subagent_update",
  "session_message",
  "session_message_chunk",
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

  /** Whether an update is new to the register. What a sub-agent was told is no prompt. */
  isNew(params: unknown, isOfSubAgent = false): boolean {
    if (this.#known === null) return true;
    const kind = kindOf(params);
    if (!history.has(kind)) return true;
    if (isOfSubAgent) return this.#prompts > this.#known;
    // Successive chunks are one prompt, unless their message ids differ.
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
