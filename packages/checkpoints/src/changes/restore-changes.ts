// Carries out `changes.restore`: keeps the folder as it is now, puts files back, and records the restore, which can itself be restored to.
import { randomUUID } from "node:crypto";
import { HostError, messageOf, type RequestParams, type RestoreResult, type ThreadRow } from "@signalbox/protocol";
import type { PinnedEntries } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import { type Checkpoint, isExecutable } from "./checkpoint.ts";
import type { CheckpointPool } from "./checkpoint-pool.ts";
import { compareTexts } from "./compare-texts.ts";
import { type Contents, canCompare, isText, readContents } from "./describe-change.ts";
import { GitError } from "./git-process.ts";
import { keepInterruptedTurn } from "./keep-interrupted-turn.ts";
import { countChangedFiles } from "./net-changes.ts";
import { fromText, toText } from "./paths.ts";
import type { Project } from "./project.ts";
import { type PreparedFile, putBack, separateObstructed, toImportedEntry } from "./put-back.ts";
import { makeRef } from "./refs.ts";
import { type Conflict, type PlannedFile, planRestore } from "./restore-plan.ts";
import type { Store } from "./store.ts";
import { findStretches, readStartedTurns, readSteps } from "./turn-points.ts";
import { type HunkPlace, hasPlace, undoHunks } from "./undo-hunks.ts";

export type RestoreRequest = Pick<RequestParams<"changes.restore">, "to_turn_id" | "paths" | "hunks" | "dry_run">;

interface RestoreServices {
  readonly register: Register;
  readonly checkpoints: CheckpointPool;
}

/** No turn of the thread may run meanwhile. Throws a HostError when nothing can be restored at all. */
export async function restoreChanges(
  { register, checkpoints }: RestoreServices,
  thread: ThreadRow,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const problem = checkpoints.describeProblem(thread.cwd);
  if (problem !== null) throw new HostError("unavailable", problem);
  const use = checkpoints.use(thread.cwd);
  try {
    const project = await use.opened;
    // Without that checkpoint, all changes of the turn are conflicts.
    await keepInterruptedTurn({ register, checkpoints }, thread).catch(() => {});
    return await project.runInTurn((now) => restore({ register, project, thread, now }, request));
  } catch (error) {
    if (error instanceof GitError)
      throw new HostError("unavailable", `Nothing was put back: ${error.message}`, { cause: error });
    throw error;
  } finally {
    use.release();
  }
}

interface RestoreContext {
  readonly register: Register;
  readonly project: Project;
  readonly thread: ThreadRow;
  /** Makes a checkpoint of the present. */
  readonly now: (ref: string) => Promise<Checkpoint>;
}

async function restore(
  { register, project, thread, now }: RestoreContext,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const { to_turn_id, dry_run } = request;
  const { store } = project;
  const turns = await readStartedTurns(register, thread.id);
  const since = turns.slice(turns.findIndex(({ turn_id }) => turn_id === to_turn_id));
  const [target] = since;
  if (target?.turn_id !== to_turn_id)
    throw new HostError("not_found", `There is no turn ${to_turn_id} that ran in this thread.`);
  const commit = target.checkpoint?.before ?? null;
  if (commit === null) {
    const reason = target.checkpoint?.notice ?? "No checkpoint was made when that prompt was sent.";
    throw new HostError("unavailable", reason);
  }
  // Another thread may work in a folder above this one, and put something else in its place meanwhile.
  using entries = pinEntries(project);
  const turnId = `restore-${randomUUID()}`;
  const present = await now(dry_run === true ? "refs/checkpoints/looked" : makeRef(thread.id, turnId, "before"));
  const steps = await readSteps(store, findStretches(since, present.commit));
  const { files, conflicts } = planRestore(steps, listWantedPaths(request));
  const contents = await prepare(store, files, request.hunks);
  const prepared = separateObstructed(entries, contents.files);
  const allConflicts = [...conflicts, ...contents.conflicts, ...prepared.conflicts];
  if (dry_run === true) return makeResult(null, prepared.files, allConflicts);
  const hasRemovals = prepared.files.some(({ content }) => content === null);
  const foldersThen = hasRemovals ? await store.listFolders(await store.readCheckpoint(commit)) : new Set<string>();
  const put = putBack({ entries, store, foldersThen, since: target.started_at ?? 0 }, prepared.files);
  const done = [...allConflicts, ...put.conflicts];
  if (put.done.length === 0) return makeResult(null, [], done);
  const made = await keepRestored(store, makeRef(thread.id, turnId, "after"), present, put.done);
  project.replaceCurrent(made);
  const result = makeResult(turnId, put.done, done);
  const { restored } = result;
  const restoring = {
    ...target,
    turn_id: turnId,
    checkpoint: { before: present.commit, after: null, files_changed: null, not_kept: [], notice: null },
  };
  register.append(thread.id, {
    type: "fact",
    fact: {
      type: "files_restored",
      turn_id: turnId,
      to_turn_id,
      before: present.commit,
      after: made.commit,
      restored,
      thread_files_changed: await countChangedFiles(store, [...turns, restoring], turnId, made.commit),
      conflicts: result.conflicts,
    },
  });
  await register.settled(thread.id);
  return result;
}

function pinEntries(project: Project): PinnedEntries {
  try {
    return project.entries.pinned();
  } catch (error) {
    const problem = `Nothing was put back: the thread's folder was replaced while it was used (${messageOf(error)}). Look at what is there, and try again.`;
    throw new HostError("conflict", problem, { cause: error });
  }
}

function listWantedPaths({ paths, hunks }: RestoreRequest): ReadonlySet<string> | undefined {
  if (paths === undefined && hunks === undefined) return undefined;
  return new Set([...(paths ?? []), ...(hunks ?? []).map(({ path }) => path)].map((path) => fromText(path)));
}

/** Reads what comes in place of what is there. With hunks, only those are undone in the files that they name. */
async function prepare(
  store: Store,
  files: readonly PlannedFile[],
  hunks: RestoreRequest["hunks"] = [],
): Promise<{ readonly files: readonly PreparedFile[]; readonly conflicts: readonly Conflict[] }> {
  const places = Map.groupBy(hunks, ({ path }) => fromText(path));
  const prepared: PreparedFile[] = [];
  const conflicts: Conflict[] = [];
  const contents = await readContents(
    store,
    files.flatMap(({ path, earlier, now }) => (places.has(path) ? [earlier, now] : [earlier])),
  );
  for (const file of files) {
    const own = places.get(file.path);
    const content =
      own === undefined ? readEarlierContent(contents, file) : await undoSelectedHunks(contents, file, own);
    if (typeof content === "string") conflicts.push({ path: file.path, reason: content });
    // A file of which some hunks stay remains a file with its present mode.
    else prepared.push({ ...file, ...(own === undefined ? {} : { earlier: file.now ?? file.earlier }), content });
  }
  return { files: prepared, conflicts };
}

/** A text says why there is none. */
function readEarlierContent(contents: Contents, { earlier }: PlannedFile): Buffer | null | string {
  if (earlier === null) return null;
  return contents.get(earlier.sha) ?? "Its earlier content is not in the store any more.";
}

async function undoSelectedHunks(
  contents: Contents,
  { now, earlier }: PlannedFile,
  places: readonly HunkPlace[],
): Promise<Buffer | string> {
  const [before, after] = [earlier, now].map((state) => (state === null ? Buffer.alloc(0) : contents.get(state.sha)));
  if (!before || !after) return "Its content is not in the store any more.";
  if (!isText(before) || !isText(after)) return "It is not text: put the whole file back.";
  if (!canCompare(before, after)) return "It is too big for that: put the whole file back.";
  const text = after.toString("utf8");
  const { hunks } = await compareTexts(before.toString("utf8"), text);
  const found = places.map((place) => hunks.find((hunk) => hasPlace(hunk, place)));
  // One that is named twice is undone once.
  const selected = [...new Set(found.filter((hunk) => hunk !== undefined))];
  if (found.includes(undefined)) return "It was changed since this difference was shown.";
  return Buffer.from(undoHunks(text, selected));
}

/** The checkpoint after the restore: the present one with the files that were put back. What others change meanwhile is not in it. */
async function keepRestored(
  store: Store,
  ref: string,
  present: Checkpoint,
  files: readonly PreparedFile[],
): Promise<Checkpoint> {
  const odd = new Map(present.modes.odd);
  const notKept = new Map(present.notKept);
  for (const { path, earlier, content } of files) {
    odd.delete(path);
    notKept.delete(path);
    if (earlier === null || content === null || earlier.mode === 0o120000) continue;
    const bits = earlier.mode & 0o1777;
    if (bits !== (isExecutable(bits) ? present.modes.program : present.modes.file)) odd.set(path, bits);
  }
  const entries = files.flatMap((file) => {
    const entry = toImportedEntry(file);
    return entry === null ? [] : [[file.path, entry] as const];
  });
  const removed = files.filter((file) => toImportedEntry(file) === null).map(({ path }) => path);
  const modes = { ...present.modes, odd };
  return await store.commit(ref, present.tree, { removed, entries, modes, notKept });
}

function makeResult(
  turnId: string | null,
  files: readonly PreparedFile[],
  conflicts: readonly Conflict[],
): RestoreResult {
  const named = files
    .map(({ path, now, content }) => ({
      path: toText(path),
      action: content === null ? ("deleted" as const) : now === null ? ("created" as const) : ("changed" as const),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    turn_id: turnId,
    restored: named.map(({ path }) => path),
    files: named,
    conflicts: conflicts.map(({ path, reason }) => ({ path: toText(path), reason })),
  };
}
