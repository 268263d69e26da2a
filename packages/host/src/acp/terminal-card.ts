// Shows a command of the host's terminals on the timeline. It belongs to the agent's call that shows its terminal; else to the one open call that
// could have started it; else it has a call of the host, with the command as title. An agent may show the terminal itself, so the host waits a
// moment with a call of its own where the agent has an open call that could.
import { randomUUID } from "node:crypto";
import type { TerminalExitStatus } from "@agentclientprotocol/sdk";
import { type JsonObject, makeToolCall, makeToolCallUpdate } from "@signalbox/protocol";
import { linkedTerminalsKey } from "@signalbox/tinyvex";
import type { ShownAt } from "./require-permission.ts";
import { recordUpdate, type ServedThread } from "./served-thread.ts";

/** Agents that show a terminal do so as soon as they have its id. */
const showingMs = 1000;

const maxTitle = 200;

export class TerminalCard {
  readonly #thread: ServedThread;
  readonly #terminalId: string;
  /** The command for a person, as a tool call says it. */
  readonly #shown: JsonObject;
  /** The call at which the host shows the terminal, if it does. */
  #at: ShownAt | null = null;
  /** Calls at which the agent has shown it. */
  readonly #shownAt = new Set<string>();
  #exit: TerminalExitStatus | null = null;
  /** Stops waiting for the agent; null when nothing is waited for. */
  #stopWaiting: (() => void) | null = null;

  constructor(thread: ServedThread, terminalId: string, shown: JsonObject) {
    this.#thread = thread;
    this.#terminalId = terminalId;
    this.#shown = shown;
    thread.seen.onTerminalShown(terminalId, (toolCallId) => this.#shownByAgent(toolCallId));
  }

  /** `at`: the call that is known to be about the command. */
  open(at: ShownAt | null): void {
    const { seen, turnSignal } = this.#thread;
    if (at === null) {
      const couldShowIt = seen.open().some(({ kind = "other" }) => kind === "execute" || kind === "other");
      if (couldShowIt) this.#wait(turnSignal());
      else this.#makeCall();
      return;
    }
    this.#at = at;
    if (at.isOurs) this.#update({ status: "in_progress", content: this.#content });
    else this.#link(at.toolCallId, true);
  }

  /** The command has ended. */
  end(exit: TerminalExitStatus): void {
    this.#exit = exit;
    if (this.#at?.isOurs === true) this.#update({ status: statusOf(exit) });
  }

  /** The agent is done with the terminal, or the turn is over: what is not shown by now never will be. */
  settle(): void {
    if (this.#stopWaiting === null) return;
    this.#stopWaiting();
    this.#stopWaiting = null;
    if (!this.#thread.seen.showsTerminal(this.#terminalId)) this.#makeCall();
  }

  /**
   * The output stays at the agent's call, also when the agent gives it other content later. Where the host showed it before, it does not stand a
   * second time: the host's own call becomes part of the agent's, and another call of the agent was not the right one.
   */
  #shownByAgent(toolCallId: string): void {
    if (this.#shownAt.has(toolCallId)) return;
    this.#shownAt.add(toolCallId);
    this.#link(toolCallId, true);
    if (this.#at?.isOurs === true) this.#mergeInto(this.#at.toolCallId, toolCallId);
    else if (this.#at !== null && !this.#shownAt.has(this.#at.toolCallId)) this.#link(this.#at.toolCallId, false);
  }

  #mergeInto(ours: string, toolCallId: string): void {
    // Other clients know our call, and cannot take it away.
    this.#update({ content: [this.#whereItIs(toolCallId)] });
    const { register, place } = this.#thread;
    const fact = { type: "tool_call_merged", tool_call_id: ours, into: toolCallId } as const;
    register.append(place.threadId, { type: "fact", fact });
  }

  #whereItIs(toolCallId: string): JsonObject {
    const { title } = this.#thread.seen.ask({ toolCallId });
    const name = typeof title === "string" && title !== "" ? ` “${title.slice(0, maxTitle)}”` : "";
    return { type: "content", content: { type: "text", text: `The output is shown at the agent's call${name}.` } };
  }

  #wait(turn: AbortSignal): void {
    const settle = () => this.settle();
    const timer = setTimeout(settle, showingMs).unref();
    turn.addEventListener("abort", settle, { once: true });
    this.#stopWaiting = () => {
      clearTimeout(timer);
      turn.removeEventListener("abort", settle);
    };
  }

  #makeCall(): void {
    const toolCallId = `signalbox-${randomUUID()}`;
    this.#at = { toolCallId, isOurs: true };
    const status = this.#exit === null ? "in_progress" : statusOf(this.#exit);
    const call = { ...this.#shown, toolCallId, status, content: this.#content };
    recordUpdate(this.#thread, makeToolCall(call));
  }

  get #content() {
    return [{ type: "terminal", terminalId: this.#terminalId }];
  }

  #link(toolCallId: string, isShown: boolean): void {
    const link = { [linkedTerminalsKey]: { [this.#terminalId]: isShown } };
    recordUpdate(this.#thread, makeToolCallUpdate({ toolCallId }), link);
  }

  #update(fields: JsonObject): void {
    if (this.#at !== null)
      recordUpdate(this.#thread, makeToolCallUpdate({ ...fields, toolCallId: this.#at.toolCallId }));
  }
}

function statusOf({ exitCode }: TerminalExitStatus): "completed" | "failed" {
  return exitCode === 0 ? "completed" : "failed";
}
