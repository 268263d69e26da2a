// Carries a log-in that an agent has refreshed in its private state back to the real one: the provider may have ended the old token, and the person
// would be logged out outside. It goes back only as data: the same fields, with new tokens, numbers and times.
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { type AgentPlaces, readPlainText } from "@signalbox/sandbox";
import { findOwnFile } from "./agent-home.ts";
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
    for (const name of logIns) {
      const refreshed = findOwnFile(own, name);
      if (refreshed !== undefined) returnLogIn(refreshed, join(layer.path, name), isNew);
    }
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

/** The last words of fields that a refresh changes: `accessToken`, `refresh`, `expires_at`, `expiry_date`, `last_refresh`. */
const renewedWords: ReadonlySet<string> = new Set([
  "token",
  "access",
  "refresh",
  "expires",
  "expiry",
  "at",
  "in",
  "date",
]);

function isRenewed(field: string): boolean {
  const words = field
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_-]/);
  return renewedWords.has(words.at(-1) ?? "");
}

/** Whether one is the other with new tokens: the same fields, and all that does not come from a refresh is the same. Neither keys nor accounts do. */
function isRefreshed(before: Json, after: Json, key: string = ""): boolean {
  if (Array.isArray(before)) {
    return (
      Array.isArray(after) &&
      before.length === after.length &&
      before.every((each: Json, index) => isRefreshed(each, after[index] ?? null))
    );
  }
  if (isJsonObject(before)) {
    if (!isJsonObject(after) || Object.keys(after).length !== Object.keys(before).length) return false;
    return Object.entries(before).every(([name, value]) => {
      const now = Object.hasOwn(after, name) ? after[name] : undefined;
      return now !== undefined && value !== undefined && isRefreshed(value, now, name);
    });
  }
  if (before === after) return true;
  if (!isRenewed(key)) return false;
  return typeof after === "string" ? typeof before === "string" && isToken(after) : bothNumbers(before, after);
}

function bothNumbers(one: Json, other: Json): boolean {
  return typeof one === "number" && typeof other === "number";
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
