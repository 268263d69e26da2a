// Takes what looks like a secret out of a recorded value: all texts under a name like one, and what looks like one in the others.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { isSecretName, redactField } from "@signalbox/tool-calls";

export function redactValue(value: Json, field?: string): Json {
  if (typeof value === "string") return redactField(value, field);
  if (Array.isArray(value)) return value.map((item: Json) => redactValue(item, field));
  return isJsonObject(value) ? redactFields(value, field) : value;
}

/** `parent` is the field that they are in. */
export function redactFields(fields: JsonObject, parent?: string): JsonObject {
  const isSecret = parent !== undefined && isSecretName(parent);
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value === undefined ? value : redactValue(value, isSecret ? parent : key),
    ]),
  );
}
