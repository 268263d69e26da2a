// Carries a log-in that an agent has refreshed in its private state back to the real one: the provider may have ended the old token, and the person
// would be logged out outside. It goes back only as data: the same fields, with new tokens, numbers and times.
import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { type AgentPlaces, readPlainText } from "@signalbox/sandbox";
import type { AgentSandbox } from "./registry.ts";

const maxBytes = 256 * 1024;

/** For an agent that has ended. Leaves alone what is not a newer log-in of the same form, and what the person has not logged in to outside. */
export function returnLogIns({ state }: AgentSandbox, { layers }: Pick<AgentPlaces, "layers">): void {
  for (const [index, { logIns = [] }] of state.entries()) {
    const layer = layers[index];
    if (layer === undefined || layer.standIn.type === "empty") continue;
    const own = layer.standIn.type === "overlay" ? layer.standIn.upper : layer.standIn.folder;
    for (const name of logIns) returnLogIn(join(own, name), join(layer.path, name));
  }
}

function returnLogIn(refreshed: string, real: string): void {
  const [own, other] = [refreshed, real].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (own?.isFile() !== true || other?.isFile() !== true || own.mtimeMs <= other.mtimeMs) return;
  const made = `${real}.signalbox-${process.pid}`;
  try {
    const text = readPlainText(refreshed, maxBytes);
    if (!isRefreshed(JSON.parse(readPlainText(real, maxBytes)) as Json, JSON.parse(text) as Json)) return;
    writeFileSync(made, text, { mode: other.mode & 0o777, flag: "wx" });
    renameSync(made, real);
  } catch {
    rmSync(made, { force: true }); // no JSON, or a folder that cannot be written: the log-in outside stays as it is
  }
}

/** Fields that say where a token is sent, or what is run to get one. They never change with a refresh. */
const leading = /url|uri|host|domain|endpoint|server|issuer|audience|command|helper|path|type|provider|method/i;

/** Whether one is the other with new tokens: the same fields, of the same types. */
export function isRefreshed(before: Json, after: Json): boolean {
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

/** Letters that tokens, ids and times have. Some agents run a text that begins with `!`, or fill in variables. */
function isToken(text: string): boolean {
  return /^[\w+/=.:@ -]{1,16384}$/.test(text);
}
