// Makes the end checkpoint of a turn in which Signalbox was killed. A person may have worked in the folder since then, so only what was changed before the
// last sign of life of the turn counts as its own. The rest is kept beside it, and a restore treats it as a conflict.
import { statSync } from "node:fs";
import type { EventRow, QueryPage, ThreadRow, TurnRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { type Checkpoint, type FileState, isExecutable, notKeptMode, type PathChange } from "./checkpoint.ts";
import type { CheckpointPool } from "./checkpoint-pool.ts";
import type { ImportedEntry } from "./fast-import.ts";
import { countChangedFiles } from "./net-changes.ts";
import { type BytePath, foldersAbove, toBytes, toText } from "./paths.ts";
import type { Project } from "./project.ts";
import { makeRef } from "./refs.ts";
import type { Store } from "./store.ts";
import { readStartedTurns } from "./turn-points.ts";

interface Services {
  readonly register: Register;
  readonly checkpoints: CheckpointPool;
}

/** File systems note times by a clock that can be this far behind. */
const clockLagMs = 10;
const turnsPerPage = 20;
const eventsPerPage = 50;

/** Does nothing where the last turn has its end checkpoint. Rejects when it cannot be made; then nothing of that turn is known to be its own. */
export async function keepInterruptedTurn({ register, checkpoints }: Services, thread: ThreadRow): Promise<void> {
  if ((await findInterruptedTurn(register, thread.id)) === null) return;
  if (checkpoints.describeProblem(thread.cwd) !== null) return;
  const use = checkpoints.use(thread.cwd);
  try {
    const project = await use.opened;
    await project.runInTurn(async (now) => {
      // Another call may have made it in the meantime.
      const interrupted = await findInterruptedTurn(register, thread.id);
      if (interrupted !== null) await keep({ register, project, thread, now }, interrupted);
    });
  } finally {
    use.release();
  }
}

interface InterruptedTurn {
  readonly turn: TurnRow;
  readonly before: string;
}

async function findInterruptedTurn(
  register: Pick<Register, "query">,
  threadId: string,
): Promise<InterruptedTurn | null> {
  const { rows } = await register.query("turns.list", { thread_id: threadId, limit: turnsPerPage });
  const turn = rows.findLast(({ checkpoint }) => checkpoint !== null);
  if (turn?.status !== "interrupted" || turn.checkpoint === null) return null;
  const { before, after } = turn.checkpoint;
  return before === null || after !== null ? null : { turn, before };
}

interface KeepContext {
  readonly register: Register;
  readonly project: Project;
  readonly thread: ThreadRow;
  readonly now: (ref: string) => Promise<Checkpoint>;
}

async function keep({ register, project, thread, now }: KeepContext, { turn, before }: InterruptedTurn): Promise<void> {
  const { store, entries } = project;
  const { turn_id } = turn;
  const lastSign = await findLastSign(register, turn);
  const found = await now(makeRef(thread.id, turn_id, "found"));
  const start = await store.readCheckpoint(before);
  const readTime = (path: BytePath) => (path === "" ? statSync(thread.cwd) : entries.status(toBytes(path)))?.ctimeMs;
  const uncertain = (await store.compare(start, found)).filter(
    (change) => !isOlder(change, lastSign - clockLagMs, readTime),
  );
  const after = await leaveOut(store, makeRef(thread.id, turn_id, "after"), { start, found, uncertain });
  const files_changed = (await store.compare(start, after, true)).length;
  const turns = await readStartedTurns(register, thread.id);
  const thread_files_changed = await countChangedFiles(store, turns, turn_id, after.commit);
  const not_kept = [...found.notKept].map(([path, reason]) => ({ path: toText(path), reason }));
  register.append(thread.id, {
    type: "fact",
    fact: {
      type: "checkpoint_made",
      turn_id,
      moment: "after",
      commit: after.commit,
      found: found.commit,
      files_changed,
      thread_files_changed,
      not_kept,
      notice: null,
    },
  });
  await register.settled(thread.id);
}

/** The time of the last event that the killed process stored in the thread, in ms. */
async function findLastSign(
  register: Pick<Register, "query">,
  { thread_id, started_at, ended_at }: TurnRow,
): Promise<number> {
  let cursor: string | undefined;
  do {
    const args = { thread_id, limit: eventsPerPage, ...(cursor === undefined ? {} : { cursor }) };
    const page: QueryPage<"events.list"> = await register.query("events.list", args);
    const last: EventRow | undefined = page.rows.findLast(({ ts }) => ts < (ended_at ?? 0));
    if (last !== undefined) return last.ts;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return started_at ?? 0;
}

/**
 * Whether a path got its present state before a time. The folders above it count too: a file keeps its time when a folder is moved, and only the folder
 * of a file that is gone says when that was.
 */
function isOlder({ path, after }: PathChange, time: number, readTime: (path: BytePath) => number | undefined): boolean {
  const above = foldersAbove(path);
  const times = [path, ...above].map(readTime).filter((each) => each !== undefined);
  if (after === null && above.every((folder) => readTime(folder) === undefined)) times.push(readTime("") ?? time);
  return times.length > 0 && times.every((each) => each < time);
}

interface LeftOut {
  readonly start: Checkpoint;
  readonly found: Checkpoint;
  readonly uncertain: readonly PathChange[];
}

/** The checkpoint that was found, with uncertain paths as they were at the start of the turn. */
async function leaveOut(store: Store, ref: string, { start, found, uncertain }: LeftOut): Promise<Checkpoint> {
  if (uncertain.length === 0) {
    store.keep(ref, found);
    return found;
  }
  const odd = new Map(found.modes.odd);
  const notKept = new Map(found.notKept);
  const entries: [BytePath, ImportedEntry][] = [];
  for (const { path, before } of uncertain) {
    odd.delete(path);
    notKept.delete(path);
    const reason = start.notKept.get(path);
    if (reason !== undefined) notKept.set(path, reason);
    if (before === null) continue;
    const bits = before.mode & 0o7777;
    const usual = isExecutable(bits) ? found.modes.program : found.modes.file;
    if ((before.mode & 0o170000) === 0o100000 && bits !== usual) odd.set(path, bits);
    entries.push([path, toEntry(before)]);
  }
  const removed = uncertain.filter(({ before }) => before === null).map(({ path }) => path);
  return await store.commit(ref, found.tree, { removed, entries, modes: { ...found.modes, odd }, notKept });
}

function toEntry({ mode, sha }: FileState): ImportedEntry {
  if (mode === notKeptMode) return { type: "not_kept", marker: sha };
  if (mode === 0o120000) return { type: "object", mode: "120000", sha };
  return { type: "object", mode: isExecutable(mode) ? "100755" : "100644", sha };
}
