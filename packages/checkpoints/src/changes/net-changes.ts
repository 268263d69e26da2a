// Finds what turns of a thread changed together, from their checkpoints: a file that one turn changed and a later one put back is not changed.
import type { TurnRow } from "@signalbox/protocol";
import type { PathChange } from "./checkpoint.ts";
import type { BytePath } from "./paths.ts";
import type { Store } from "./store.ts";
import { findStretches, readSteps } from "./turn-points.ts";

interface NetChanges {
  readonly changes: readonly PathChange[];
  readonly turnChanges: readonly TurnChanges[];
}

export interface TurnChanges {
  readonly turn: TurnRow;
  readonly byPath: ReadonlyMap<BytePath, PathChange>;
}

/** Compares the first prompt of these turns with their last end, for the paths that they changed. */
export async function findNetChanges(
  store: Store,
  all: readonly TurnRow[],
  of: readonly TurnRow[],
  now: string | undefined,
): Promise<NetChanges> {
  const wanted = new Set(of.map(({ turn_id }) => turn_id));
  const own = findStretches(all, now).flatMap(({ turn, author, from, to }) =>
    author === "thread" && turn !== null && wanted.has(turn.turn_id) ? [{ turn, author, from, to }] : [],
  );
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return { changes: [], turnChanges: [] };
  const net = await store.compare(await store.readCheckpoint(first.from), await store.readCheckpoint(last.to), true);
  const moving = own.filter(({ from, to }) => from !== to);
  const steps = await readSteps(store, moving);
  const turnChanges = moving.map(({ turn }, index) => ({
    turn,
    byPath: new Map(steps[index]?.changes.map((change) => [change.path, change])),
  }));
  const isTouched = (path: BytePath | undefined) =>
    path !== undefined && turnChanges.some(({ byPath }) => byPath.has(path));
  return { changes: net.filter(({ path, oldPath }) => isTouched(path) || isTouched(oldPath)), turnChanges };
}

/** Counts the files that all turns of a thread changed together, once the end checkpoint of the turn is `after`. */
export async function countChangedFiles(
  store: Store,
  turns: readonly TurnRow[],
  turnId: string,
  after: string,
): Promise<number> {
  const ended = turns.map((turn) =>
    turn.turn_id === turnId && turn.checkpoint !== null ? { ...turn, checkpoint: { ...turn.checkpoint, after } } : turn,
  );
  return (await findNetChanges(store, ended, ended, undefined)).changes.length;
}
