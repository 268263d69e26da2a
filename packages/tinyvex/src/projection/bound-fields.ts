// Keeps rows small also when a field has many small parts: such a field goes to a blob as a whole, and the row shows the beginning of its
// JSON.
import type { ToolCallFields } from "@signalbox/protocol";
import type { BlobStore } from "../blobs/blob-store.ts";
import { blobThreshold, previewBytes } from "../blobs/limits.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { liftedText } from "../log/long-text.ts";
import { blobKey } from "./big-values.ts";

/** Says that the blob holds JSON, of which the text shows the beginning. */
const jsonKey = "signalbox/json";

/** A field with one string that is just not long, escapes included, stays below this. */
const maxFieldLength = 2 * blobThreshold;

const boundedFields = ["content", "locations", "rawInput", "rawOutput", "_meta"] as const;

/** The fields of a tool call, bounded; only an event that was big itself can carry one that is not. */
export function boundFields(fields: ToolCallFields, event: LoggedEvent, blobs: BlobStore): ToolCallFields {
  if (event.size <= maxFieldLength) return fields;
  const bounded: { -readonly [Field in keyof ToolCallFields]: ToolCallFields[Field] } = { ...fields };
  for (const field of boundedFields) {
    const value = fields[field];
    const source = value === undefined || value === null ? "" : JSON.stringify(value);
    if (source.length <= maxFieldLength) continue;
    const whole = liftedText(field, Buffer.from(source, "utf8"));
    const { hash, size } = blobs.put(event.threadId, "rows", whole);
    const text = Buffer.from(source.slice(0, previewBytes)).toString("utf8");
    const block = { type: "text", text, _meta: { [blobKey]: { hash, size }, [jsonKey]: true } };
    if (field === "content") bounded[field] = [{ type: "content", content: block }];
    else if (field === "locations") bounded[field] = [];
    else bounded[field] = block;
  }
  return bounded;
}
