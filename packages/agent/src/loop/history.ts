// Holds the messages that go to the model with every request. Messages are appended whole; a history that is too long is replaced.
import type { ModelMessage, ToolResultPart } from "../providers/model.ts";

interface HistoryKeeper {
  /** Called with every message, in order, before it is part of the history. */
  appended(message: ModelMessage): void;
  /** Called when these replace all messages before. */
  replaced(messages: readonly ModelMessage[]): void;
}

export class History {
  readonly #keeper: HistoryKeeper;
  #messages: readonly ModelMessage[];

  constructor(messages: readonly ModelMessage[], keeper: HistoryKeeper) {
    this.#messages = withResults(messages);
    this.#keeper = keeper;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  append(message: ModelMessage): void {
    this.#keeper.appended(message);
    this.#messages = [...this.#messages, message];
  }

  replace(messages: readonly ModelMessage[]): void {
    this.#keeper.replaced(messages);
    this.#messages = messages;
  }
}

/** Providers refuse a call without a result. One is missing where the process ended during the call. */
function withResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.flatMap((message, index): ModelMessage[] => {
    if (message.role !== "assistant" || messages[index + 1]?.role === "tool") return [message];
    const calls = message.content.filter((part) => part.type === "tool_call");
    if (calls.length === 0) return [message];
    const results = calls.map(({ id, name }) => notRun(id, name, "Interrupted: the agent ended before this was done."));
    return [message, { role: "tool", results }];
  });
}

/** The result of a call that did not run, or not to its end. */
export function notRun(id: string, name: string, why: string): ToolResultPart {
  return { id, name, content: [{ type: "text", text: why }], isError: true };
}
