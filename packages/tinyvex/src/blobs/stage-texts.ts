// Stores the long texts of facts and of an agent's requests in slices, so that other work does not wait for one of them.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { findSecrets } from "@signalbox/tool-calls";
import type { Register } from "../register.ts";

/** A shorter text is stored with its entry in little time. */
const longLength = 256 * 1024;
/** Of a longer text a recorded request has the beginning. */
const shortenedLength = 64 * 1024;
/** A private key has no more characters. */
const maxSecretLength = 20_000;

/** Stores the long texts of the fields, in slices, and returns the fields with references in their place. */
export async function stageTexts(
  register: Pick<Register, "stageText">,
  threadId: string,
  fields: JsonObject,
): Promise<JsonObject> {
  const stage = async (value: Json): Promise<Json> => {
    if (!hasLongText(value, longLength)) return value;
    if (typeof value === "string") return await register.stageText(threadId, value);
    if (isJsonObject(value)) return await stageFields(value);
    const items: Json[] = [];
    for (const item of Array.isArray(value) ? value : []) items.push(await stage(item));
    return items;
  };
  const stageFields = async (object: JsonObject): Promise<JsonObject> => {
    const staged: Record<string, Json> = {};
    for (const [key, field] of Object.entries(object)) if (field !== undefined) staged[key] = await stage(field);
    return staged;
  };
  return hasLongText(fields, longLength) ? await stageFields(fields) : fields;
}

/** Truncates the texts of a request that is only recorded: no decision depends on the rest. */
export function shortenTexts(params: Json): Json {
  return hasLongText(params, shortenedLength) ? shorten(params) : params;
}

function shorten(value: Json): Json {
  if (typeof value === "string") {
    if (value.length <= shortenedLength) return value;
    const end = findEndOutsideSecret(value);
    return `${value.slice(0, end)} [${value.length - end} more characters]`;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, field === undefined ? field : shorten(field)]);
  return Object.fromEntries(fields);
}

/** A text must not end inside a secret: no search would recognise the first half of one. */
function findEndOutsideSecret(text: string): number {
  const from = shortenedLength - maxSecretLength;
  const divided = findSecrets(text.slice(from, shortenedLength + maxSecretLength)).find(
    ({ start, end }) => from + start < shortenedLength && from + end > shortenedLength,
  );
  return divided === undefined ? shortenedLength : from + divided.start;
}

function hasLongText(value: Json | undefined, length: number): boolean {
  if (typeof value === "string") return value.length > length;
  if (Array.isArray(value)) return value.some((item: Json) => hasLongText(item, length));
  return isJsonObject(value) && Object.values(value).some((field) => hasLongText(field, length));
}
