// Reads the fields of a tool call, from an update or from a question about it. A field of a wrong type counts as left out.
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** A type, not an interface, so that it is also a JsonObject. Lists and raw values are those that were sent: nothing is copied. */
export type ToolCallFields = {
  readonly toolCallId: string;
  readonly title?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly content?: readonly Json[] | undefined;
  readonly locations?: readonly Json[] | undefined;
  readonly rawInput?: Json | undefined;
  readonly rawOutput?: Json | undefined;
  readonly _meta?: JsonObject | undefined;
};

/** Null where there is no `toolCallId`: nothing can be known of such a call. */
export function readToolCall(fields: JsonObject): ToolCallFields | null {
  const { toolCallId, title, name, kind, status, content, locations, rawInput, rawOutput, _meta } = fields;
  if (typeof toolCallId !== "string") return null;
  return {
    toolCallId,
    title: typeof title === "string" ? title : undefined,
    name: typeof name === "string" ? name : undefined,
    kind: typeof kind === "string" ? kind : undefined,
    status: typeof status === "string" ? status : undefined,
    content: Array.isArray(content) ? content : undefined,
    locations: Array.isArray(locations) ? locations : undefined,
    rawInput,
    rawOutput,
    _meta: isJsonObject(_meta) ? _meta : undefined,
  };
}
