// Keeps long texts of facts and of an agent's requests from being handled as one piece: everything else would wait meanwhile.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { findSecrets } from "@signalbox/tool-calls";
import type { Register } from "../register.ts";

/** A shorter text is stored with its entry in little time. */
const longLength = 256 * 1024;
/** Of a longer text a recorded request has the beginning. */
const shortenedLength = 64 * 1024;
/** A private key has no more characters. */
const maxSecretLength = 20_000;

/** The same fields, with references in place of their long texts, which are stored now, in slices. */
export async function stageTexts(
  register: Pick<Register, "stageText">,
  threadId: string,
  fields: JsonObject,
): Promise<JsonObject> {
  const stage = async (value: Json): Promise<Json> => {
    if (!hasLong(value, longLength)) return value;
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
  return hasLong(fields, longLength) ? await stageFields(fields) : fields;
}

/** Nothing is decided by what is left out here, and the agent knows what it sent. */
export function shortened(params: Json): Json {
  return hasLong(params, shortenedLength) ? shorten(params) : params;
}

function shorten(value: Json): Json {
  if (typeof value === "string") {
    if (value.length <= shortenedLength) return value;
    const end = endOutsideSecret(value);
    return `${value.slice(0, end)} [${value.length - end} more characters]`;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, field === undefined ? field : shorten(field)]);
  return Object.fromEntries(fields);
}

/** The first half of a secret does not look like one any more: no search would find it. */
function endOutsideSecret(text: string): number {
  const from = shortenedLength - maxSecretLength;
  const divided = findSecrets(text.slice(from, shortenedLength + maxSecretLength)).find(
    ({ start, end }) => from + start < shortenedLength && from + end > shortenedLength,
  );
  return divided === undefined ? shortenedLength : from + divided.start;
}

function hasLong(value: Json | undefined, length: number): boolean {
  if (typeof value === "string") return value.length > length;
  if (Array.isArray(value)) return value.some((item: Json) => hasLong(item, length));
  return isJsonObject(value) && Object.values(value).some((field) => hasLong(field, length));
}
