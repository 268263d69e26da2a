// This module reads `session/request_permission` as the agent sent it. The SDK would drop what it does not know, such as a tool's own name, and
// a rule about that name would then answer a question that was about something else.
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type PermissionOption,
  readToolCall,
  type ToolCallFields,
} from "@signalbox/protocol";

interface AskedPermission {
  /** The call as it was sent, and its known fields, checked. */
  readonly toolCall: { readonly toolCallId: string } & JsonObject;
  readonly call: ToolCallFields;
  readonly options: readonly PermissionOption[];
  /** What else the request has: `_meta`, and fields that are not known. */
  readonly more: JsonObject;
}

/** Every screen draws all of them. */
const maxOptions = 100;
const maxIdLength = 1000;

/** A string says what is wrong with it. Two options with one id are refused: an answer could not tell them apart. */
export function readPermission(params: unknown): AskedPermission | string {
  if (!isJsonObject(params)) return "the params must be an object";
  const { toolCall, options, sessionId: _, ...more } = params;
  const call = isJsonObject(toolCall) ? readToolCall(toolCall) : null;
  if (!isJsonObject(toolCall) || call === null) return "toolCall must have a toolCallId";
  if (!Array.isArray(options) || !options.every(isOption))
    return "options must each have an optionId, a name and a kind";
  if (new Set(options.map(({ optionId }) => optionId)).size < options.length)
    return "options must have different optionIds";
  if (options.length > maxOptions) return `a question has at most ${maxOptions} options`;
  if (call.toolCallId.length > maxIdLength) return `a toolCallId has at most ${maxIdLength} characters`;
  return { toolCall: { ...toolCall, toolCallId: call.toolCallId }, call, options, more };
}

function isOption(value: Json): value is PermissionOption & JsonObject {
  return (
    isJsonObject(value) &&
    typeof value.optionId === "string" &&
    typeof value.name === "string" &&
    typeof value.kind === "string"
  );
}
