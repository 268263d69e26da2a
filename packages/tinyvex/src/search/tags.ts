// Writes the filters of a search as words of the index: an item has a word for its agent, thread, kind, status, day and month, and for every
// folder above it. So a filter costs as much as its own matches, not a look at every match.
import { createHash } from "node:crypto";

export type TagName = "agent" | "thread" | "kind" | "status" | "folder" | "day" | "month";

/** The same few values come again and again. */
const known = new Map<string, string>();
const maxKnown = 2000;

/** One word that the tokenizer leaves whole and that stands for the value. */
export function tag(name: TagName, value: string): string {
  const key = `${name}:${value}`;
  const word = known.get(key) ?? `x${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
  if (known.size > maxKnown) known.clear();
  known.set(key, word);
  return word;
}

/** The words of a folder and everything above it: a filter by folder finds what happened below it. */
export function folderTags(cwd: string): string[] {
  return ancestors(cwd).map((folder) => tag("folder", folder));
}

export function normalizeFolder(folder: string): string {
  const trimmed = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return trimmed === "" ? "/" : trimmed;
}

function ancestors(cwd: string): string[] {
  const folder = normalizeFolder(cwd);
  const parts = folder.split("/");
  const above = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  return [...new Set(above.map((path) => (path === "" ? "/" : path)))];
}

const dayMs = 24 * 60 * 60 * 1000;
/** A span that needs more words than this is wide enough to be found without them. */
const maxTags = 150;

/** The words of a moment: its day and its month, in UTC. */
export function timeTags(ts: number): string[] {
  return [tag("day", formatDay(ts)), tag("month", formatMonth(ts))];
}

/** Words of which every item between two moments has one: whole months, and days at both ends. Empty when too many. */
export function spanTags(since: number, until: number): string[] {
  const words: string[] = [];
  for (let at = startOfDay(since); at <= until; ) {
    if (words.length >= maxTags) return [];
    const next = startOfNextMonth(at);
    if (isStartOfMonth(at) && next - 1 <= until) {
      words.push(tag("month", formatMonth(at)));
      at = next;
    } else {
      words.push(tag("day", formatDay(at)));
      at += dayMs;
    }
  }
  return words;
}

function formatDay(ts: number): string {
  return formatDate(ts).slice(0, 10);
}

function formatMonth(ts: number): string {
  return formatDate(ts).slice(0, 7);
}

/** A clock that is beside itself must not stop the indexing. */
function formatDate(ts: number): string {
  return new Date(Math.min(Math.max(0, ts), Date.UTC(9999, 11))).toISOString();
}

function startOfDay(ts: number): number {
  return Math.floor(ts / dayMs) * dayMs;
}

function isStartOfMonth(ts: number): boolean {
  return new Date(ts).getUTCDate() === 1;
}

function startOfNextMonth(ts: number): number {
  const date = new Date(ts);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
