// Names the item of a thread that an event belongs to, so that a person can find what is in it.
import { type Json, readText, type SecretRow, type Update } from "@signalbox/protocol";
import { factPrefix, outputKind } from "../writer/entry-queue.ts";

export type SecretItem = Pick<SecretRow, "item" | "item_id">;

/** Texts that come in several events and are one text. */
interface Stream {
  readonly key: string;
  /** The place (JSON Pointer) of this event's part of it. */
  readonly ref: string;
}

const deltaRef = "/update/_meta/terminal_output_delta";

/** `update`: the event as an update; null where it is none. */
export function findStream(kind: string, value: Json, update: Update | null): Stream | null {
  if (kind === outputKind) return { key: `terminal ${readText(value, "terminal_id")}`, ref: "/text" };
  switch (update?.type) {
    case "message_chunk":
      return { key: `message ${kind} ${update.messageId}`, ref: "/update/content/text" };
    case "tool_call": {
      const delta = update.call._meta?.terminal_output_delta;
      return delta === undefined ? null : { key: `output ${readText(delta, "terminal_id")}`, ref: `${deltaRef}/data` };
    }
    default:
      return null;
  }
}

/** Whether an event ends the message that is being written. */
export function endsMessage(kind: string, update: Update | null): boolean {
  if (update !== null)
    return (
      update.type === "message_chunk" ||
      update.type === "plan" ||
      (update.type === "tool_call" && update.isAnnouncement)
    );
  return kind.startsWith(`${factPrefix}turn_`) || kind.startsWith(`${factPrefix}session_`);
}

/** `item_id` of messages is not known here: it is that of the event that began the message. */
export function findItem(kind: string, value: Json, update: Update | null): SecretItem {
  switch (update?.type) {
    case "message_chunk":
      return { item: "message", item_id: null };
    case "tool_call":
      return { item: "tool_call", item_id: update.call.toolCallId };
    case "plan":
    case "plan_with_id":
      return { item: "plan", item_id: null };
    case "session_info":
      return { item: "title", item_id: null };
    default:
      return findItemOfFact(kind, value);
  }
}

function findItemOfFact(kind: string, value: Json): SecretItem {
  if (/^signalbox\/turn_(?:queued|edited|steered)$/.test(kind)) return { item: "message", item_id: null };
  if (kind.startsWith(`${factPrefix}terminal_`)) return { item: "terminal", item_id: readText(value, "terminal_id") };
  if (kind.startsWith(`${factPrefix}permission_`))
    return { item: "permission", item_id: readText(value, "permission_id") };
  const isTitle = /^signalbox\/thread_(?:created|updated)$/.test(kind);
  return { item: isTitle ? "title" : "event", item_id: null };
}
