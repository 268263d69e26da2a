// Merges the updates of a tool call into what is known of it. Everything that follows a tool call uses this one meaning.
import { isFields } from "@signalbox/rules";

/** The fields of a tool call that updates carry. Strings are kept as sent: a kind or status that ACP does not know stays what it is. */
export interface ToolCallFields {
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly content?: readonly unknown[] | null;
  readonly locations?: readonly unknown[] | null;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly _meta?: object | null;
}

/** The title of a call that has neither a title nor a name. */
export const untitled = "Tool call";

/** The title of a call; its tool's name stands in for it until a title comes. */
export function chooseTitle({ title, name }: Pick<ToolCallFields, "title" | "name">): string {
  return (title === untitled ? name : (title ?? name)) ?? untitled;
}

export function hasEnded(status: string | null | undefined): boolean {
  return status === "completed" || status === "failed";
}

/**
 * Returns the call after an announcement (`sessionUpdate: "tool_call"`, or the caller knows it) or an update. Changes neither argument.
 *
 * - A field that is absent, null or of a wrong type changes nothing; any other value replaces the field as a whole.
 * - Empty values of an announcement do not replace what is known: agents repeat announcements, and begin them empty.
 * - The status only moves forward: an end is final, but the agent may correct which end it was.
 * - `_meta` is merged by vendor, because an update of one vendor's field says nothing about the others.
 */
export function mergeToolCall<Call extends ToolCallFields>(
  known: Call,
  update: object,
  isAnnouncement = "sessionUpdate" in update && update.sessionUpdate === "tool_call",
): Call {
  const sent: SentFields = update;
  const changes: Record<string, unknown> = {};
  for (const [field, isValid] of fieldTypes) {
    const value = sent[field];
    if (value === undefined || value === null || !isValid(value)) continue;
    const before = known[field];
    const isKnown = before !== undefined && before !== null;
    if (isKnown && isAnnouncement && isEmpty(value)) continue;
    changes[field] = isKnown ? replaced(field, before, value) : value;
  }
  // Each changed field has the type that was checked above; list items and raw values are as the agent sent them.
  return { ...known, ...changes };
}

/** A tool call as the agent sent it: any field may have any value. */
type SentFields = { readonly [Field in keyof ToolCallFields]?: unknown };

const isString = (value: unknown) => typeof value === "string";

const fieldTypes: readonly (readonly [keyof ToolCallFields, (value: unknown) => boolean])[] = [
  ["title", isString],
  ["name", isString],
  ["kind", isString],
  ["status", isString],
  ["content", Array.isArray],
  ["locations", Array.isArray],
  ["rawInput", () => true],
  ["rawOutput", () => true],
  ["_meta", isFields],
];

function replaced(field: string, before: unknown, value: unknown): unknown {
  if (field === "status") return nextStatus(String(before), String(value));
  return field === "_meta" && isFields(before) && isFields(value) ? mergeMeta(before, value) : value;
}

function nextStatus(before: string, status: string): string {
  if (hasEnded(status)) return status;
  return hasEnded(before) || status === "pending" ? before : status;
}

function mergeMeta(before: Record<string, unknown>, meta: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...before };
  for (const [vendor, value] of Object.entries(meta)) {
    const known = merged[vendor];
    merged[vendor] = isFields(known) && isFields(value) ? { ...known, ...value } : value;
  }
  return merged;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
