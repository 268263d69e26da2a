// The worker's side of history-reader.ts: reads the lines of a history, translates them, and sends the entries in portions.
import { parentPort } from "node:worker_threads";
import { isNestedTooDeep, makeNotice, maxJsonDepth, messageOf, readUpdate } from "@signalbox/protocol";
import { type ReadLine, readLongLine } from "@signalbox/tinyvex";
import type { HistoryEntry, HistoryHead } from "./history.ts";
import { findFormat, type ImportSource } from "./history-formats.ts";
import { readJsonLines } from "./read-lines.ts";

export type HistoryRequest =
  | { readonly type: "head"; readonly source: ImportSource; readonly file: string }
  /** Begins with the entries of a file after the first `known`. */
  | {
      readonly type: "open";
      readonly source: ImportSource;
      readonly file: string;
      readonly head: HistoryHead;
      readonly known: number;
    }
  | { readonly type: "next" };

/** An entry that is stored as it is, or one that was long and was read like a long line of an agent. */
export type ReadEntry =
  | { readonly type: "entry"; readonly entry: HistoryEntry }
  | { readonly type: "long"; readonly at: number; readonly read: ReadLine };

interface Portion {
  readonly entries: readonly ReadEntry[];
  /** Present in the last portion: the entries that close the history, and the number of all its entries. */
  readonly end?: { readonly closing: readonly HistoryEntry[]; readonly count: number };
}

export type HistoryAnswer =
  | { readonly type: "head"; readonly head: HistoryHead | null }
  | { readonly type: "portion"; readonly portion: Portion }
  | { readonly type: "failed"; readonly reason: string };

const portionEntries = 200;
const portionBytes = 1024 * 1024;
/** Shorter entries are stored as they are, which takes little time. */
const longLength = 256 * 1024;

async function* readPortions({ source, file, head, known }: Extract<HistoryRequest, { type: "open" }>) {
  const translator = findFormat(source).createTranslator(head);
  let entries: ReadEntry[] = [];
  let bytes = 0;
  let seen = 0;
  for await (const line of readJsonLines(file)) {
    for (const entry of translator.translate(line)) {
      if (seen++ < known) continue;
      const { read, size } = readEntry(entry);
      entries.push(read);
      bytes += size;
      if (entries.length < portionEntries && bytes < portionBytes) continue;
      yield { entries } satisfies Portion;
      entries = [];
      bytes = 0;
    }
  }
  yield { entries, end: { closing: translator.end(), count: translator.count } } satisfies Portion;
}

function readEntry(entry: HistoryEntry): { readonly read: ReadEntry; readonly size: number } {
  const { at } = entry;
  const message =
    entry.type === "fact"
      ? { method: "fact", params: entry.fact }
      : entry.type === "update"
        ? { method: "session/update", params: entry.update.raw }
        : { method: entry.method, params: entry.params };
  // A message that is nested deeper cannot even be sent to the host's thread.
  if (isNestedTooDeep(message)) {
    const problem = `it is nested more than ${maxJsonDepth} levels deep`;
    return { read: { type: "entry", entry: replaceUnread(entry, problem) }, size: 0 };
  }
  const json = JSON.stringify(message);
  const size = json.length;
  if (size <= longLength) return { read: { type: "entry", entry }, size };
  const read = readLongLine(Buffer.from(json));
  if (entry.type !== "fact") return { read: { type: "long", at, read }, size };
  const isBounded = read.type === "message";
  return { read: { type: "entry", entry: isBounded ? entry : replaceUnread(entry, describeProblem(read)) }, size };
}

function describeProblem(read: ReadLine): string {
  return read.type === "refused" ? read.problem : "it is no message";
}

/** Stands in for an entry that is not stored. A fact is replaced by a fact, because a turn has to begin and to end. */
function replaceUnread(entry: HistoryEntry, problem: string): HistoryEntry {
  const title = "A part of the history was not read";
  const description = `Reason: ${problem}.`;
  if (entry.type === "fact") {
    const { fact } = entry;
    return fact.type === "turn_queued"
      ? { ...entry, fact: { ...fact, prompt: [{ type: "text", text: `${title}. ${description}` }] } }
      : { ...entry, fact: { type: "session_started", session_id: "", meta: fact.meta ?? {} } };
  }
  const update = readUpdate({ sessionId: "", update: makeNotice(title, description) });
  return { type: "update", update, at: entry.at };
}

let opened: AsyncGenerator<Portion> | undefined;

async function answerRequest(request: HistoryRequest): Promise<HistoryAnswer> {
  try {
    if (request.type === "head") {
      const { source, file } = request;
      return { type: "head", head: await findFormat(source).readHead(file, readJsonLines(file)) };
    }
    if (request.type === "open") opened = readPortions(request);
    const next = await opened?.next();
    return next === undefined || next.done === true
      ? { type: "failed", reason: "there is no more of it" }
      : { type: "portion", portion: next.value };
  } catch (error) {
    return { type: "failed", reason: messageOf(error) };
  }
}

parentPort?.on("message", (request: HistoryRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
  void answerRequest(request).then((answer) => parentPort?.postMessage(answer));
});
