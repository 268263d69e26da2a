// Imports the histories of other programs into the register. An import can be interrupted and repeated at any moment: nothing is stored
// twice, and a session that has grown gets only its new entries.
import { messageOf } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { HistoryHead } from "./history.ts";
import { findFormat, type ImportSource } from "./history-formats.ts";
import type { HistoryReader } from "./history-reader.ts";
import { ImportedThreads, importedMark } from "./import-position.ts";
import { storeEntry } from "./store-entry.ts";

export interface ImportOptions {
  readonly source: ImportSource;
  readonly register: Register;
  /** The folder that has `.claude` and `.codex`, unless the environment names others. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The agent that can continue the sessions. */
  readonly agentId: string;
  readonly reader: HistoryReader;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Counts files. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

export interface ImportResult {
  /** Sessions that are new in the register. */
  readonly imported: number;
  /** Sessions that were there and had grown. */
  readonly continued: number;
  readonly unchanged: number;
  /** Files without a conversation, and sessions that Signalbox itself ran. */
  readonly skipped: number;
  readonly failed: readonly { readonly file: string; readonly reason: string }[];
}

type Outcome = Exclude<keyof ImportResult, "failed">;

export async function importHistories(options: ImportOptions): Promise<ImportResult> {
  const { source, register, home, env, signal, onProgress } = options;
  const counts = { imported: 0, continued: 0, unchanged: 0, skipped: 0 };
  const failed: { file: string; reason: string }[] = [];
  const files = await findFormat(source).listFiles(home, env);
  const threads = await ImportedThreads.read(register);
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ done: index, total: files.length, message: file });
    try {
      counts[await importFile(file, threads, options)]++;
    } catch (error) {
      signal?.throwIfAborted();
      failed.push({ file, reason: messageOf(error) });
    }
  }
  const total = files.length;
  onProgress?.({ done: total, total, message: summarize(counts, failed.length) });
  return { ...counts, failed };
}

async function importFile(file: string, threads: ImportedThreads, options: ImportOptions): Promise<Outcome> {
  const { register, agentId, reader, source } = options;
  const head = await reader.readHead(source, file);
  if (head === null) return "skipped";
  const startedAt = Math.min(head.startedAt, Date.now());
  const { cwd, title } = head;
  const create = () => register.createThread({ agent_id: agentId, cwd, title, at: startedAt });
  const write = (threadId: string, known: number) => writeHistory(file, head, { threadId, known }, options);
  const position = await threads.open(agentId, head);
  switch (position.type) {
    case "new":
      await write((await create()).id, 0);
      return "imported";
    case "empty":
      await write(position.thread.id, 0);
      return "imported";
    case "unfinished":
      // Nobody has worked in this thread, and how far the import got is known only roughly, so it starts again.
      await register.deleteThread(position.thread.id);
      await write((await create()).id, 0);
      return "imported";
    case "imported":
      return (await write(position.thread.id, position.entries)) ? "continued" : "unchanged";
    case "lived_here":
    case "taken":
      return "skipped";
  }
}

/** Writes the entries after the first `known`. Returns false if there are none. */
async function writeHistory(
  file: string,
  head: HistoryHead,
  { threadId, known }: { readonly threadId: string; readonly known: number },
  { source, register, reader, signal }: ImportOptions,
): Promise<boolean> {
  let lastAt = Math.min(head.startedAt, Date.now());
  let isNew = false;
  for await (const { entries, end } of reader.readPortions({ source, file, head, known })) {
    for (const entry of entries) {
      // A clock that was wrong then must not put a thread into the future.
      lastAt = Math.min(entry.type === "long" ? entry.at : entry.entry.at, Date.now());
      isNew = true;
      await storeEntry(register, threadId, entry, lastAt);
    }
    await register.settled(threadId);
    signal?.throwIfAborted();
    if (end === undefined || !isNew) continue;
    for (const entry of end.closing) register.append(threadId, { ...entry, at: lastAt });
    const done = { source, file, session_id: head.sessionId, entries: end.count };
    const fact = { type: "session_ended", status: "idle", reason: null, meta: { [importedMark]: done } } as const;
    register.append(threadId, { type: "fact", fact, at: lastAt });
    await register.settled(threadId);
  }
  return isNew;
}

function summarize(counts: Omit<ImportResult, "failed">, failed: number): string {
  const parts = [
    `${counts.imported} sessions imported`,
    `${counts.continued} went on`,
    `${counts.unchanged} were there already`,
    `${counts.skipped} passed over`,
    ...(failed === 0 ? [] : [`${failed} could not be read`]),
  ];
  return `${parts.join(", ")}.`;
}
