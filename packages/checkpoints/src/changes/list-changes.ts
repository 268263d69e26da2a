// Answers `changes.list` and `changes.diff`: what a turn or a whole thread changed, from its checkpoints.
import {
  type ChangeDiffRow,
  type ChangeRow,
  HostError,
  type QueryArgs,
  type ThreadRow,
  type ToolCallRow,
  type TurnRow,
} from "@signalbox/protocol";
import type { Register, RegisterReader } from "@signalbox/tinyvex";
import { readWholeValue } from "@signalbox/tinyvex";
import { type DescribedEdit, decideSource, readEdits } from "./change-sources.ts";
import type { PathChange } from "./checkpoint.ts";
import type { CheckpointPool } from "./checkpoint-pool.ts";
import { type Contents, describeChanges, isText, readContents } from "./describe-change.ts";
import { GitError } from "./git-process.ts";
import { findNetChanges, type TurnChanges } from "./net-changes.ts";
import { fromText, toText } from "./paths.ts";
import type { Store } from "./store.ts";
import { readStartedTurns } from "./turn-points.ts";

interface ChangesSource {
  readonly register: RegisterReader & Partial<Pick<Register, "settled">>;
  readonly checkpoints: CheckpointPool;
}

/** Calls that are read at a time; their texts may be large. */
const callsPerPage = 200;
const changesPerRead = 50;

export async function listChanges(
  source: ChangesSource,
  args: QueryArgs<"changes.list">,
): Promise<readonly ChangeRow[]> {
  const found = await findChanges(source, args);
  const rows = await describeChanges(found.store, found.changes);
  const sources = await decideSources(source, found);
  return rows.map(({ hunks: _hunks, old_size: _old, new_size: _new, rough: _rough, ...row }, index) => ({
    ...row,
    source: sources[index] ?? "command",
  }));
}

/** Returns an empty list if the file did not change. */
export async function diffChange(
  source: ChangesSource,
  args: QueryArgs<"changes.diff">,
): Promise<readonly ChangeDiffRow[]> {
  const { store, changes } = await findChanges(source, args);
  const path = fromText(args.path);
  return await describeChanges(
    store,
    changes.filter((change) => change.path === path),
  );
}

interface ThreadChanges {
  readonly thread: ThreadRow;
  readonly store: Store;
  readonly turns: readonly TurnRow[];
  /** The net changes. */
  readonly changes: readonly PathChange[];
  readonly turnChanges: readonly TurnChanges[];
}

async function findChanges(
  { register, checkpoints }: ChangesSource,
  { thread_id, turn_id }: { readonly thread_id: string; readonly turn_id?: string | null | undefined },
): Promise<ThreadChanges> {
  const thread = await register.getThread(thread_id);
  if (thread === null) throw new HostError("not_found", `There is no thread ${thread_id}.`);
  const { store, turns } = await openStore({ register, checkpoints }, thread);
  const of = typeof turn_id === "string" ? turns.filter((turn) => turn.turn_id === turn_id) : turns;
  if (typeof turn_id === "string" && of.length === 0)
    throw new HostError("not_found", `There is no turn ${turn_id} that ran.`);
  try {
    return {
      thread,
      store,
      turns: of,
      ...(await findNetChanges(store, turns, of, await checkpointOpenTurn(checkpoints, thread, turns))),
    };
  } catch (error) {
    if (error instanceof GitError)
      throw new HostError("unavailable", `What was kept cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Throws a HostError when nothing is kept of this thread. */
async function openStore(
  { register, checkpoints }: ChangesSource,
  thread: ThreadRow,
): Promise<{ readonly store: Store; readonly turns: readonly TurnRow[] }> {
  const problem = checkpoints.describeProblem(thread.cwd);
  if (problem !== null) throw new HostError("unavailable", problem);
  const turns = await readStartedTurns(register, thread.id);
  const store = checkpoints.findStore(thread.cwd);
  if (store !== null && turns.some(({ checkpoint }) => checkpoint !== null)) return { store, turns };
  const off = thread.checkpoints?.on === false ? thread.checkpoints.reason : undefined;
  if (store === null || off !== undefined) {
    throw new HostError(
      "unavailable",
      off ?? "Nothing is kept of what this thread changed: none of its turns has a checkpoint.",
    );
  }
  return { store, turns };
}

/** Makes a checkpoint of the folder as it is now if the last turn still runs, or no host was started since one was killed during it. */
async function checkpointOpenTurn(
  checkpoints: CheckpointPool,
  { cwd }: ThreadRow,
  turns: readonly TurnRow[],
): Promise<string | undefined> {
  const last = turns.findLast(({ checkpoint }) => checkpoint !== null);
  if (last === undefined || last.ended_at !== null || last.checkpoint?.after !== null) return undefined;
  if (last.checkpoint.before === null) return undefined;
  const use = checkpoints.use(cwd);
  try {
    return (await (await use.opened).makeCheckpoint("refs/checkpoints/looked", "after")).commit;
  } finally {
    use.release();
  }
}

/** A change of several turns has the sources of all of them. One that only restores made counts as made by a tool. */
async function decideSources(
  source: ChangesSource,
  { thread, store, turns, changes, turnChanges }: ThreadChanges,
): Promise<readonly ChangeRow["source"][]> {
  const edits = await readTurnEdits(source, thread, turns);
  const sources: ChangeRow["source"][] = [];
  for (let start = 0; start < changes.length; start += changesPerRead) {
    const parts = changes
      .slice(start, start + changesPerRead)
      .map((change) => turnChanges.flatMap((each) => readTurnPart(change, each, edits)));
    const contents = await readContents(
      store,
      parts.flat().flatMap((part) => (part.edits.length > 0 ? [part.before, part.after] : [])),
    );
    for (const ofChange of parts) {
      const found = new Set(
        ofChange.map((part) =>
          decideSource(part.edits, readText(contents, part.before), readText(contents, part.after)),
        ),
      );
      sources.push(found.size > 1 ? "both" : ([...found][0] ?? "tool"));
    }
  }
  return sources;
}

interface TurnPart extends Pick<PathChange, "before" | "after"> {
  readonly edits: readonly DescribedEdit[];
}

/** The part of a net change that one turn made, with what its tool calls say of it; nothing where the turn left it alone, or is a restore. */
function readTurnPart(
  { path, oldPath }: PathChange,
  { turn, byPath }: TurnChanges,
  edits: ReadonlyMap<string, readonly DescribedEdit[]>,
): readonly TurnPart[] {
  const [there, gone] = [byPath.get(path), oldPath === undefined ? undefined : byPath.get(oldPath)];
  const [first, last] = [gone ?? there, there ?? gone];
  if (turn.restored_to !== null || first === undefined || last === undefined) return [];
  const own = [path, ...(oldPath === undefined ? [] : [oldPath])].flatMap(
    (each) => edits.get(editKey(turn.turn_id, toText(each))) ?? [],
  );
  return [{ before: first.before, after: last.after, edits: own }];
}

function readText(contents: Contents, state: PathChange["before"]): string | null {
  const bytes = state === null ? null : (contents.get(state.sha) ?? null);
  return bytes === null || !isText(bytes) ? null : bytes.toString("utf8");
}

function editKey(turnId: string, path: string): string {
  return `${turnId} ${path}`;
}

/** The edits that tool calls of these turns describe, by turn and path, oldest first. */
async function readTurnEdits(
  { register }: ChangesSource,
  thread: ThreadRow,
  turns: readonly TurnRow[],
): Promise<ReadonlyMap<string, readonly DescribedEdit[]>> {
  const edits = new Map<string, DescribedEdit[]>();
  const findTurn = ({ created_at }: ToolCallRow) =>
    turns.find(
      ({ started_at, ended_at }) =>
        created_at >= (started_at ?? 0) && created_at <= (ended_at ?? Number.MAX_SAFE_INTEGER),
    );
  const first = turns[0]?.seq ?? 0;
  for (let after: number | undefined = first; after !== undefined; ) {
    const page: { readonly rows: readonly ToolCallRow[]; readonly next_cursor?: string } = await register.query(
      "tool_calls.list",
      {
        thread_id: thread.id,
        after_seq: after,
        limit: callsPerPage,
      },
    );
    for (const call of page.rows) {
      const turn = findTurn(call);
      if (turn === undefined) continue;
      const content = await readWholeValue(register, [...call.content]);
      for (const edit of readEdits(call, content, thread.cwd)) {
        const key = editKey(turn.turn_id, edit.path);
        edits.set(key, [...(edits.get(key) ?? []), edit]);
      }
    }
    after = page.rows.length < callsPerPage ? undefined : page.rows.at(-1)?.seq;
  }
  return edits;
}
