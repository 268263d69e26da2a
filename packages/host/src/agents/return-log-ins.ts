// Carries a log-in that an agent has refreshed in its private state back to the real one: the provider may have ended the old token, and the person
// would be logged out outside. It goes back only as data: the same fields, with new tokens, numbers and times.
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { type AgentPlaces, readPlainText } from "@signalbox/sandbox";
import type { AgentSandbox } from "./registry.ts";

const maxBytes = 256 * 1024;

/**
 * For an agent that has ended. Leaves alone what is not a newer log-in of the same form. A log-in that is new, or another one, goes back only where the
 * person has just logged in (`isNew`): in a private state that no agent wrote before.
 */
export function returnLogIns(
  { state }: AgentSandbox,
  { layers }: Pick<AgentPlaces, "layers">,
  isNew: boolean = false,
): void {
  for (const [index, { logIns = [] }] of state.entries()) {
    const layer = layers[index];
    if (layer === undefined || layer.standIn.type === "empty") continue;
    const own = layer.standIn.type === "overlay" ? layer.standIn.upper : layer.standIn.folder;
    for (const name of logIns) returnLogIn(join(own, name), join(layer.path, name), isNew);
  }
}

function returnLogIn(refreshed: string, real: string, isNew: boolean): void {
  const [own, other] = [refreshed, real].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (own?.isFile() !== true || (other === undefined ? !isNew : !other.isFile() || own.mtimeMs <= other.mtimeMs))
    return;
  const made = `${real}.signalbox-${process.pid}`;
  try {
    const text = readPlainText(refreshed, maxBytes);
    const after = JSON.parse(text) as Json;
    if (isNew ? !isPlain(after) : !isRefreshed(JSON.parse(readPlainText(real, maxBytes)) as Json, after)) return;
    mkdirSync(dirname(real), { recursive: true, mode: 0o700 });
    writeFileSync(made, text, { mode: 0o600, flag: "wx" });
    renameSync(made, real);
  } catch {
    rmSync(made, { force: true }); // no JSON, or a folder that cannot be written: the log-in outside stays as it is
  }
}

/** Fields that say where a token is sent, or what is run to get one. They never change with a refresh. */
const leading = /url|uri|host|domain|endpoint|server|issuer|audience|command|helper|path|type|provider|method/i;

/** Whether one is the other with new tokens: the same fields, of the same types. */
function isRefreshed(before: Json, after: Json): boolean {
  if (Array.isArray(before) || Array.isArray(after)) {
    return (
      Array.isArray(before) &&
      Array.isArray(after) &&
      before.length === after.length &&
      before.every((each: Json, index) => isRefreshed(each, after[index] ?? null))
    );
  }
  if (isJsonObject(before)) {
    if (!isJsonObject(after) || Object.keys(after).length !== Object.keys(before).length) return false;
    return Object.entries(before).every(([key, value]) => {
      const now = Object.hasOwn(after, key) ? after[key] : undefined;
      if (now === undefined || value === undefined) return false;
      const isText = typeof value === "string" || typeof now === "string";
      return isText && leading.test(key) ? value === now : isRefreshed(value, now);
    });
  }
  if (typeof after === "string") return typeof before === "string" && (before === after || isToken(after));
  return before === null ? after === null : typeof before === typeof after && !isJsonObject(after);
}

/** Whether all of its texts are such as a log-in has. */
function isPlain(value: Json): boolean {
  if (typeof value === "string") return value === "" || isToken(value);
  return (
    typeof value !== "object" ||
    value === null ||
    Object.values(value).every((each: Json | undefined) => isPlain(each ?? null))
  );
}

/** Letters that tokens, ids and times have. Some agents run a text that begins with `!`, or fill in variables. */
function isToken(text: string): boolean {
  return /^[\w+/=.:@ -]{1,16384}$/.test(text);
}
