// Names the item of a thread that an event belongs to, so that a person can find what is in it.
import { isJsonObject, type Json, type JsonObject, type SecretRow } from "@signalbox/protocol";
import { isChunkKind } from "../writer/chunk.ts";
import { factPrefix, outputKind } from "../writer/entry-queue.ts";

export type SecretItem = Pick<SecretRow, "item" | "item_id">;

/** Texts that come in several events and are one text. */
interface Stream {
  readonly key: string;
  /** The place (JSON Pointer) of this event's part of it. */
  readonly ref: string;
}

const deltaRef = "/update/_meta/terminal_output_delta";

export function chooseStream(kind: string, value: Json): Stream | null {
  if (kind === outputKind) return { key: `terminal ${readString(value, "terminal_id")}`, ref: "/text" };
  const update = readObject(value, "update");
  if (isChunkKind(kind))
    return { key: `message ${kind} ${readString(update, "messageId")}`, ref: "/update/content/text" };
  const delta = readObject(readObject(update, "_meta"), "terminal_output_delta");
  return delta === undefined ? null : { key: `output ${readString(delta, "terminal_id")}`, ref: `${deltaRef}/data` };
}

/** Whether an event ends the message that is being written. */
export function endsMessage(kind: string): boolean {
  return (
    isChunkKind(kind) ||
    kind === "tool_call" ||
    kind === "plan" ||
    kind.startsWith(`${factPrefix}turn_`) ||
    kind.startsWith(`${factPrefix}session_`)
  );
}

/** `item_id` of messages is not known here: it is that of the event that began the message. */
export function describeItem(kind: string, value: Json): SecretItem {
  const update = readObject(value, "update");
  if (isChunkKind(kind) || /^signalbox\/turn_(?:queued|edited|steered)$/.test(kind))
    return { item: "message", item_id: null };
  if (kind === "tool_call" || kind === "tool_call_update")
    return { item: "tool_call", item_id: readString(update, "toolCallId") };
  if (kind === "plan" || kind === "plan_update") return { item: "plan", item_id: null };
  if (kind.startsWith(`${factPrefix}terminal_`)) return { item: "terminal", item_id: readString(value, "terminal_id") };
  if (kind.startsWith(`${factPrefix}permission_`))
    return { item: "permission", item_id: readString(value, "permission_id") };
  const isTitle = /^(?:signalbox\/thread_(?:created|updated)|session_info_update)$/.test(kind);
  return { item: isTitle ? "title" : "event", item_id: null };
}

export function readString(value: Json | undefined, key: string): string | null {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : null;
}

function readObject(value: Json | undefined, key: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}
