// Puts the checkpoints of a thread's turns in their order: what each turn changed, and what changed between them.
import type { QueryPage, TurnRow } from "@signalbox/protocol";
import type { RegisterReader } from "@signalbox/tinyvex";
import { foreignReasons, type Step } from "./restore-plan.ts";
import type { Store } from "./store.ts";

/** From one checkpoint to the next. */
interface Stretch {
  /** The turn in which it happened; null for what happened between turns. */
  readonly turn: TurnRow | null;
  readonly from: string;
  readonly to: string;
  /** Null when the thread did it. */
  readonly foreign: string | null;
}

const rowsPerPage = 500;

/** The turns that ran and the restores, oldest first. */
export async function readStartedTurns(
  register: Pick<RegisterReader, "query">,
  threadId: string,
): Promise<readonly TurnRow[]> {
  const turns: TurnRow[] = [];
  let cursor: string | undefined;
  do {
    const args = { thread_id: threadId, limit: rowsPerPage, ...(cursor === undefined ? {} : { cursor }) };
    const page: QueryPage<"turns.list"> = await register.query("turns.list", args);
    turns.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return turns
    .filter(({ started_at }) => started_at !== null)
    .toSorted((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0) || a.seq - b.seq);
}

/**
 * Pure. A turn without a checkpoint at its end (the host was killed, or it still runs) lasts until the next one; `now` is the last, where it
 * is given.
 */
export function findStretches(turns: readonly TurnRow[], now?: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let last: string | null = null;
  let open: TurnRow | null = null;
  for (const turn of turns) {
    const { before = null, after = null } = turn.checkpoint ?? {};
    if (before !== null) {
      if (last !== null)
        stretches.push({ turn: open, from: last, to: before, foreign: open === null ? foreignReasons.between : null });
      last = before;
      open = turn;
    }
    if (after === null) continue;
    const isKnown = before !== null;
    if (last !== null)
      stretches.push({ turn, from: last, to: after, foreign: isKnown ? null : foreignReasons.unknown });
    last = after;
    open = null;
  }
  if (last !== null && now !== undefined) {
    stretches.push({ turn: open, from: last, to: now, foreign: open === null ? foreignReasons.since : null });
  }
  return stretches;
}

/** Reads the changes of each stretch in which something changed. */
export async function readSteps(store: Store, stretches: readonly Stretch[]): Promise<readonly Step[]> {
  const moving = stretches.filter(({ from, to }) => from !== to);
  const [before, after] = [
    await store.readCheckpoints(moving.map(({ from }) => from)),
    await store.readCheckpoints(moving.map(({ to }) => to)),
  ];
  const changes = await store.compareAll(before, after);
  return moving.map(({ foreign }, index) => ({ changes: changes[index] ?? [], foreign }));
}
