// This module keeps what an agent reported about its tool calls, merged by id. A permission question often names only the id.
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ToolCallFields,
  type ToolCallUpdate,
} from "@signalbox/protocol";
import { readToolName } from "@signalbox/rules";
import { hasEnded, mergeToolCall } from "@signalbox/tool-calls";

/** Enough for every call that can still be asked about. */
const maxCalls = 500;

/** A type, not an interface, so that it is also a JsonObject. */
type SeenCall = {
  readonly toolCallId: string;
  readonly title?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly content?: readonly Json[];
  readonly locations?: readonly Json[];
  readonly rawInput?: Json;
};

export class ToolCallsSeen {
  readonly #calls = new Map<string, SeenCall>();
  /** Those that the agent reported or asked about since the turn began: the end of a turn ends what was open in it. */
  readonly #ofTurn = new Set<string>();
  /** The terminals that calls of the agent show, and the listeners for others. */
  readonly #terminals = new Set<string>();
  readonly #onShown = new Map<string, (toolCallId: string) => void>();
  /** The host's description of calls that a person is being asked about. */
  readonly #ours = new Map<string, ToolCallFields>();

  /**
   * Reads news of a tool call. Gives the host's description of the call where a question shows it, so that the agent's update cannot change what
   * the person reads; else null.
   */
  read({ call, isAnnouncement }: ToolCallUpdate): ToolCallFields | null {
    this.#merge(call, isAnnouncement);
    for (const id of terminalsIn(call.content)) this.#terminals.add(id);
    return this.#ours.get(call.toolCallId) ?? null;
  }

  beginTurn(): void {
    this.#ofTurn.clear();
  }

  /** The update that was read is in the register: listeners for a terminal in it can record more. */
  recorded({ call }: ToolCallUpdate): void {
    for (const id of terminalsIn(call.content)) this.#onShown.get(id)?.(call.toolCallId);
  }

  /** Calls `listener` with each call of the agent that shows this terminal from now on. */
  onTerminalShown(terminalId: string, listener: (toolCallId: string) => void): void {
    this.#onShown.set(terminalId, listener);
    // Agents also show a terminal that they have released: only the oldest are forgotten.
    const [oldest] = this.#onShown.keys();
    if (this.#onShown.size > maxCalls && oldest !== undefined) this.#onShown.delete(oldest);
  }

  /** Whether a call of the agent shows this terminal. */
  showsTerminal(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  /** Keeps the host's description of a call while a question shows it. Gives the function that ends this. */
  hold(toolCallId: string, description: JsonObject): () => void {
    this.#ours.set(toolCallId, { ...description, toolCallId });
    return () => this.#ours.delete(toolCallId);
  }

  /** Gives what a question is about: what is known of the call, with the question's own fields over it. */
  ask(call: ToolCallFields): JsonObject {
    const known = this.#calls.get(call.toolCallId);
    return known === undefined ? this.#merge(call, false) : mergeToolCall(known, essence(call));
  }

  #merge(call: ToolCallFields, isAnnouncement: boolean): JsonObject {
    const { toolCallId: id } = call;
    const known = this.#calls.get(id) ?? { toolCallId: id };
    const merged = mergeToolCall<SeenCall>(known, essence(call), isAnnouncement);
    this.#ofTurn.add(id);
    this.#calls.delete(id);
    this.#calls.set(id, merged);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) {
      this.#calls.delete(oldest);
      this.#ofTurn.delete(oldest);
    }
    return merged;
  }

  /** Calls of the running turn that have not ended and that no question of the host shows, the newest first. */
  open(): readonly JsonObject[] {
    return [...this.#calls.values()]
      .filter(
        ({ toolCallId, status }) => this.#ofTurn.has(toolCallId) && !hasEnded(status) && !this.#isHeld(toolCallId),
      )
      .toReversed();
  }

  #isHeld(toolCallId: Json | undefined): boolean {
    return typeof toolCallId === "string" && this.#ours.has(toolCallId);
  }
}

function terminalsIn(content: readonly Json[] = []): readonly string[] {
  return content
    .filter(isJsonObject)
    .flatMap(({ type, terminalId }) => (type === "terminal" && typeof terminalId === "string" ? [terminalId] : []));
}

/** What a question can be about, without output: that can be big, and many calls are kept. */
function essence(call: ToolCallFields): JsonObject {
  const { title, kind, status, locations, rawInput, content = [] } = call;
  return { title, kind, status, locations, rawInput, name: readToolName(call), content: pathsOf(content) };
}

/** Null where none is named: what was named before still counts. */
function pathsOf(content: readonly Json[]): Json {
  const paths = content
    .filter(isJsonObject)
    .flatMap(({ type, path }) => (typeof path === "string" ? [{ type, path }] : []));
  return paths.length === 0 ? null : paths;
}
