// Describes the user's config.json for the settings page. What may be a secret in it stays on the host.
import { listKeyFields } from "@signalbox/config/describe";
import { type ConfigRow, isJsonObject, type Json, type JsonObject, toFields } from "@signalbox/protocol";
import { readPlainText } from "@signalbox/sandbox";
import type { LiveConfig } from "../data/user-config.ts";

/** As much as is read of it anywhere. */
const maxBytes = 1_000_000;

export function describeConfig({ file, problem }: LiveConfig): ConfigRow {
  return { file, problem, config: removeSecrets(readConfigFile(file)), keys: listKeyFields() };
}

/** An empty object where the file is missing or no JSON; `problem` says so. */
function readConfigFile(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readPlainText(file, maxBytes).replace(/^\uFEFF/, ""));
    return toFields(value);
  } catch {
    return {};
  }
}

/** Objects whose values are often keys. Their names are shown, so that a form can list and remove them. */
const secretParts = new Set(["env", "headers"]);

export function removeSecrets(config: JsonObject): JsonObject {
  const { shared: _shared, ...others } = config;
  return strip(others) as JsonObject;
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map(strip);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => {
    const isSecret = secretParts.has(key) && isJsonObject(part);
    return [key, isSecret ? Object.fromEntries(Object.keys(part).map((name) => [name, null])) : strip(part ?? null)];
  });
  return Object.fromEntries(entries) as JsonObject;
}
