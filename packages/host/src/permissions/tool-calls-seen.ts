// What an agent has told about its tool calls so far, merged by id. A permission question often names only the id.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { toolNameIn } from "./subject.ts";

/** Enough for every call that can still be asked about; older ones are forgotten. */
const kept = 500;

export class ToolCallsSeen {
  readonly #calls = new Map<string, JsonObject>();

  /** Takes `session/update` params; anything but a tool call is passed over. */
  take(params: unknown): void {
    const update = isJsonObject(params) ? params.update : undefined;
    if (!isJsonObject(update)) return;
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") this.#merge(update);
  }

  /** What a question is about: what is known of the call with the question's own fields put over it, which may be about a part of it only. */
  ask(fields: JsonObject): JsonObject {
    const id = fields.toolCallId;
    const known = typeof id === "string" ? this.#calls.get(id) : undefined;
    return known === undefined ? this.#merge(fields) : { ...known, ...present(fields) };
  }

  /** A field that is absent or null erases nothing. */
  #merge(fields: JsonObject): JsonObject {
    const id = fields.toolCallId;
    if (typeof id !== "string") return fields;
    const merged = { ...this.#calls.get(id), ...present(fields) };
    this.#calls.delete(id);
    this.#calls.set(id, merged);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > kept && oldest !== undefined) this.#calls.delete(oldest);
    return merged;
  }

  /** Calls that have not ended, the newest first. */
  open(): readonly JsonObject[] {
    return [...this.#calls.values()].filter(({ status }) => status !== "completed" && status !== "failed").toReversed();
  }
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(essence(fields)).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** What a question can be about. Not what a tool showed: that can be big, and five hundred calls are remembered. */
function essence(fields: JsonObject): JsonObject {
  const { toolCallId, title, kind, status, locations, rawInput, content } = fields;
  return { toolCallId, title, kind, status, locations, rawInput, name: toolNameIn(fields), content: pathsOf(content) };
}

/** Null where none is named: what was named before still counts. */
function pathsOf(content: Json | undefined): Json {
  const entries = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const paths = entries.flatMap(({ path }) => (typeof path === "string" ? [{ path }] : []));
  return paths.length === 0 ? null : paths;
}
