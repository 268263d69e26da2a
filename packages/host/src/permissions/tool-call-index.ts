// Indexes what an agent reported about its tool calls, merged by id: a permission request often names only the id.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { readToolName } from "@signalbox/rules";
import { mergeToolCall } from "@signalbox/tool-calls";

/** Enough for every call that an agent can still ask about. */
const maxCalls = 500;

/** A type, not an interface, so that it is also a JsonObject. */
type IndexedCall = {
  readonly toolCallId: string;
  readonly title?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly content?: readonly Json[];
  readonly locations?: readonly Json[];
  readonly rawInput?: Json;
};

export class ToolCallIndex {
  readonly #calls = new Map<string, IndexedCall>();

  /** Reads `session/update` params; ignores anything but a tool call. */
  read(params: unknown): void {
    const update = isJsonObject(params) ? params.update : undefined;
    if (!isJsonObject(update)) return;
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") this.#merge(update);
  }

  /** Describes the call that a request is about: everything known of it, with the request's own fields over it. */
  describe(fields: JsonObject): JsonObject {
    const id = fields.toolCallId;
    const known = typeof id === "string" ? this.#calls.get(id) : undefined;
    return known === undefined ? this.#merge(fields) : mergeToolCall(known, pickDescription(fields));
  }

  #merge(fields: JsonObject): JsonObject {
    const id = fields.toolCallId;
    if (typeof id !== "string") return fields;
    const merged = mergeToolCall<IndexedCall>(this.#calls.get(id) ?? { toolCallId: id }, pickDescription(fields));
    this.#calls.delete(id);
    this.#calls.set(id, merged);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
    return merged;
  }
}

/** The fields that a request can be about, without output: that can be big, and many calls are kept. */
function pickDescription(fields: JsonObject): JsonObject {
  const { sessionUpdate, title, kind, status, locations, rawInput, content } = fields;
  return {
    sessionUpdate,
    title,
    kind,
    status,
    locations,
    rawInput,
    name: readToolName(fields),
    content: pickPaths(content),
  };
}

/** Null where the content names no path: paths that were named before still count. */
function pickPaths(content: Json | undefined): Json {
  const entries = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const paths = entries.flatMap(({ type, path }) => (typeof path === "string" ? [{ type, path }] : []));
  return paths.length === 0 ? null : paths;
}
