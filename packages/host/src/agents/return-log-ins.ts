// Carries a log-in that an agent has refreshed in its private state back to the real one: the provider may have ended the old token, and the person
// would be logged out outside. It goes back only as data: the same fields, with new tokens, numbers and times.
import { mkdirSync } from "node:fs";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { type AgentPlaces, FolderEntries } from "@signalbox/sandbox";
import type { AgentSandbox } from "./registry.ts";

const maxBytes = 256 * 1024;

/**
 * Leaves alone what is not a newer log-in of the same form. It may be called while the agent runs: a file that is half written is not JSON, and goes back
 * the next time. A log-in that is new, or another one, goes back only where the person has just logged in (`isNew`): in a private state that no agent
 * wrote before. Never throws.
 */
export function returnLogIns(
  { state }: AgentSandbox,
  { layers }: Pick<AgentPlaces, "layers">,
  isNew: boolean = false,
): void {
  for (const [index, { logIns = [] }] of state.entries()) {
    const layer = layers[index];
    if (layer === undefined || layer.standIn.type === "empty" || logIns.length === 0) continue;
    const { path, standIn } = layer;
    for (const name of logIns) {
      try {
        const written = readLogIn(standIn.type === "overlay" ? standIn.upper : standIn.folder, path, name, isNew);
        if (written === undefined) continue;
        mkdirSync(path, { recursive: true, mode: 0o700 });
        new FolderEntries(path).writeFile(Buffer.from(name), Buffer.from(written), 0o600);
      } catch {
        // It is not JSON, or a folder cannot be written: the log-in outside stays as it is.
      }
    }
  }
}

/** Gives the log-in that goes back, if one does. No folder is read through a link in it: the agent could have put one there. */
function readLogIn(insideFolder: string, outsideFolder: string, file: string, isNew: boolean): string | undefined {
  const [inside, outside, name] = [
    new FolderEntries(insideFolder),
    new FolderEntries(outsideFolder),
    Buffer.from(file),
  ];
  const [own, real] = [inside.status(name), outside.status(name)];
  if (own?.isFile() !== true || (real === undefined ? !isNew : !real.isFile() || own.mtimeMs <= real.mtimeMs)) return;
  const text = readText(inside, name);
  const after = JSON.parse(text) as Json;
  const goesBack = isNew ? isPlain(after) : isRefreshed(JSON.parse(readText(outside, name)) as Json, after);
  return goesBack ? text : undefined;
}

/** Throws for anything but a small regular file. */
function readText(folder: FolderEntries, name: Buffer): string {
  const entry = folder.read(name, maxBytes);
  if (entry.type !== "file") throw new Error(`${name.toString()} is not a file of up to ${maxBytes} bytes`);
  return entry.bytes.toString("utf8");
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
  if (typeof before !== "string" || typeof after !== "string") return bothNumbers(before, after);
  return isToken(after) && isSameAccount(before, after);
}

/** Claims of a JSON Web Token that name the account: `sub`, `chatgpt_account_id`. */
const accountClaim = /^(?:iss|sub|email)$|(?:account|user)_?id$/i;

/** With a token of another account, the person would work for whoever wrote it. A token that is not a JSON Web Token names none. */
function isSameAccount(before: string, after: string): boolean {
  return JSON.stringify(listAccountClaims(before)) === JSON.stringify(listAccountClaims(after));
}

/** Nobody checks the signature here: the provider does. */
function listAccountClaims(token: string): readonly (readonly [name: string, value: Json])[] {
  try {
    const [, payload = ""] = token.split(".");
    return listClaims(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Json)
      .filter(([name]) => accountClaim.test(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  } catch {
    return [];
  }
}

function listClaims(value: Json): readonly (readonly [name: string, value: Json])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each = null]) =>
    isJsonObject(each) ? listClaims(each) : [[name, each] as const],
  );
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
