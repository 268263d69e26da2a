// This module keeps what an agent reported about its tool calls, merged by id. A permission question often names only the id.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
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
  readonly #ours = new Map<string, JsonObject>();

  /**
   * Reads `session/update` params; ignores anything but a tool call. Gives the host's description of the call where a question shows it, so that
   * the agent's update cannot change what the person reads; else null.
   */
  read(params: unknown): JsonObject | null {
    const update = isJsonObject(params) ? params.update : undefined;
    if (!isJsonObject(update)) return null;
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return null;
    this.#merge(update);
    for (const id of terminalsIn(update.content)) this.#terminals.add(id);
    const ours = typeof update.toolCallId === "string" ? this.#ours.get(update.toolCallId) : undefined;
    return ours ?? null;
  }

  beginTurn(): void {
    this.#ofTurn.clear();
  }

  /** The update that was read is in the register: listeners for a terminal in it can record more. */
  recorded(params: unknown): void {
    const update = isJsonObject(params) ? params.update : undefined;
    if (!isJsonObject(update) || typeof update.toolCallId !== "string") return;
    for (const id of terminalsIn(update.content)) this.#onShown.get(id)?.(update.toolCallId);
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
    this.#ours.set(toolCallId, { toolCallId, ...description });
    return () => this.#ours.delete(toolCallId);
  }

  /** Gives what a question is about: what is known of the call, with the question's own fields over it. */
  ask(fields: JsonObject): JsonObject {
    const id = fields.toolCallId;
    const known = typeof id === "string" ? this.#calls.get(id) : undefined;
    return known === undefined ? this.#merge(fields) : mergeToolCall(known, essence(fields));
  }

  #merge(fields: JsonObject): JsonObject {
    const id = fields.toolCallId;
    if (typeof id !== "string") return fields;
    const merged = mergeToolCall<SeenCall>(this.#calls.get(id) ?? { toolCallId: id }, essence(fields));
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

function terminalsIn(content: Json | undefined): readonly string[] {
  const entries = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return entries.flatMap(({ type, terminalId }) =>
    type === "terminal" && typeof terminalId === "string" ? [terminalId] : [],
  );
}

/** What a question can be about, without output: that can be big, and many calls are kept. */
function essence(fields: JsonObject): JsonObject {
  const { sessionUpdate, title, kind, status, locations, rawInput, content } = fields;
  return {
    sessionUpdate,
    title,
    kind,
    status,
    locations,
    rawInput,
    name: readToolName(fields),
    content: pathsOf(content),
  };
}

/** Null where none is named: what was named before still counts. */
function pathsOf(content: Json | undefined): Json {
  const entries = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const paths = entries.flatMap(({ type, path }) => (typeof path === "string" ? [{ type, path }] : []));
  return paths.length === 0 ? null : paths;
}
