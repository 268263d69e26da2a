// Indexes what an agent reported about its tool calls, merged by id: a permission request often names only the id.
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ToolCallFields,
  type ToolCallUpdate,
} from "@signalbox/protocol";
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

  add({ call, isAnnouncement }: ToolCallUpdate): void {
    this.#merge(call, isAnnouncement);
  }

  /** Describes the call that a request is about: everything known of it, with the request's own fields over it. */
  describe(call: ToolCallFields): JsonObject {
    const known = this.#calls.get(call.toolCallId);
    return known === undefined ? this.#merge(call, false) : mergeToolCall(known, pickDescription(call));
  }

  #merge(call: ToolCallFields, isAnnouncement: boolean): JsonObject {
    const { toolCallId: id } = call;
    const known = this.#calls.get(id) ?? { toolCallId: id };
    const merged = mergeToolCall<IndexedCall>(known, pickDescription(call), isAnnouncement);
    this.#calls.delete(id);
    this.#calls.set(id, merged);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
    return merged;
  }
}

/** The fields that a request can be about, without output: that can be big, and many calls are kept. */
function pickDescription(call: ToolCallFields): JsonObject {
  const { title, kind, status, locations, rawInput, content = [] } = call;
  return { title, kind, status, locations, rawInput, name: readToolName(call), content: pickPaths(content) };
}

/** Null where the content names no path: paths that were named before still count. */
function pickPaths(content: readonly Json[]): Json {
  const paths = content
    .filter(isJsonObject)
    .flatMap(({ type, path }) => (typeof path === "string" ? [{ type, path }] : []));
  return paths.length === 0 ? null : paths;
}
