// Imports the histories of other programs into the register. An import can be interrupted and started again at any moment: nothing is stored
// twice, and a session that has grown gets only what is new.

import { setImmediate as nextTurn } from "node:timers/promises";
import { messageOf } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { claudeFormat } from "./claude/claude-format.ts";
import { codexFormat } from "./codex/codex-format.ts";
import type { HistoryFormat, HistoryHead } from "./history.ts";
import { ImportedThreads, importedMark } from "./import-position.ts";
import { readJsonLines } from "./read-lines.ts";

export type ImportSource = "claude" | "codex";

export interface ImportOptions {
  readonly source: ImportSource;
  readonly register: Register;
  /** The folder that has `.claude` and `.codex`, unless the environment names others. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The agent that can go on with the sessions. */
  readonly agentId: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Where the import is: files, of all there are. */
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

/** After so many entries others get their turn, and what was written is stored. */
const batch = 200;

export async function importHistories(options: ImportOptions): Promise<ImportResult> {
  return options.source === "claude" ? await run(claudeFormat, options) : await run(codexFormat, options);
}

async function run<Head extends HistoryHead>(
  format: HistoryFormat<Head>,
  options: ImportOptions,
): Promise<ImportResult> {
  const { register, home, env, signal, onProgress } = options;
  const counts = { imported: 0, continued: 0, unchanged: 0, skipped: 0 };
  const failed: { file: string; reason: string }[] = [];
  const files = await format.files(home, env);
  const threads = await ImportedThreads.read(register);
  for (const [index, file] of files.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ done: index, total: files.length, message: file });
    try {
      counts[await importFile(format, file, threads, options)]++;
    } catch (error) {
      signal?.throwIfAborted();
      failed.push({ file, reason: messageOf(error) });
    }
  }
  const total = files.length;
  onProgress?.({ done: total, total, message: summary(counts, failed.length) });
  return { ...counts, failed };
}

async function importFile<Head extends HistoryHead>(
  format: HistoryFormat<Head>,
  file: string,
  threads: ImportedThreads,
  options: ImportOptions,
): Promise<Outcome> {
  const { register, agentId } = options;
  const head = await format.head(file, readJsonLines(file));
  if (head === null) return "skipped";
  const startedAt = Math.min(head.startedAt, Date.now());
  const { cwd, title } = head;
  const create = () => register.createThread({ agent_id: agentId, cwd, title, at: startedAt });
  const position = await threads.open(agentId, head);
  switch (position.type) {
    case "new":
      await write(format, file, head, (await create()).id, 0, options);
      return "imported";
    case "empty":
      await write(format, file, head, position.thread.id, 0, options);
      return "imported";
    case "unfinished":
      // No one has worked in it since, and how far it got is known only roughly: from the beginning, then.
      await register.deleteThread(position.thread.id);
      await write(format, file, head, (await create()).id, 0, options);
      return "imported";
    case "imported": {
      const isNew = await write(format, file, head, position.thread.id, position.entries, options);
      return isNew ? "continued" : "unchanged";
    }
    case "lived_here":
    case "taken":
      return "skipped";
  }
}

/** Writes what comes after the first `known` entries; false when there is nothing. */
async function write<Head extends HistoryHead>(
  format: HistoryFormat<Head>,
  file: string,
  head: Head,
  threadId: string,
  known: number,
  { register, signal }: ImportOptions,
): Promise<boolean> {
  const translator = format.translator(head);
  let lastAt = Math.min(head.startedAt, Date.now());
  let waiting = 0;
  let seen = 0;
  for await (const line of readJsonLines(file)) {
    for (const entry of translator.translate(line)) {
      // A clock that was wrong then must not put a thread into the future.
      lastAt = Math.min(entry.at, Date.now());
      if (seen++ < known) continue;
      register.append(threadId, { ...entry, at: lastAt });
      if (++waiting % batch > 0) continue;
      await register.settled(threadId);
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  if (waiting === 0) return false;
  for (const entry of translator.end()) register.append(threadId, { ...entry, at: lastAt });
  const done = { source: format.source, file, session_id: head.sessionId, entries: translator.count };
  const fact = { type: "session_ended", status: "idle", reason: null, meta: { [importedMark]: done } } as const;
  register.append(threadId, { type: "fact", fact, at: lastAt });
  await register.settled(threadId);
  return true;
}

function summary(counts: Omit<ImportResult, "failed">, failed: number): string {
  const parts = [
    `${counts.imported} sessions imported`,
    `${counts.continued} went on`,
    `${counts.unchanged} were there already`,
    `${counts.skipped} passed over`,
    ...(failed === 0 ? [] : [`${failed} could not be read`]),
  ];
  return `${parts.join(", ")}.`;
}
