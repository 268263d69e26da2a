// Puts the checkpoints of a thread's turns in their order: what each turn changed, and what changed between them.
import type { QueryPage, TurnRow } from "@signalbox/protocol";
import type { RegisterReader } from "@signalbox/tinyvex";
import type { Author, Step } from "./restore-plan.ts";
import type { Store } from "./store.ts";

/** From one checkpoint to the next. */
interface Stretch {
  /** The turn in which it happened; null for what happened between turns. */
  readonly turn: TurnRow | null;
  readonly from: string;
  readonly to: string;
  readonly author: Author;
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
 * Pure. `now` is the last checkpoint, where it is given. If a turn ended without a checkpoint, it is unknown who made the changes up to the next one: a
 * person may have worked in the folder since.
 */
export function findStretches(turns: readonly TurnRow[], now?: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let last: string | null = null;
  let open: TurnRow | null = null;
  for (const turn of turns) {
    const { before = null, after = null, found } = turn.checkpoint ?? {};
    if (before !== null) {
      if (last !== null)
        stretches.push({ turn: open, from: last, to: before, author: open === null ? "between" : "unknown" });
      last = before;
      open = turn;
    }
    if (after === null) continue;
    if (last !== null) stretches.push({ turn, from: last, to: after, author: before === null ? "unknown" : "thread" });
    if (found !== undefined) stretches.push({ turn, from: after, to: found, author: "unknown" });
    last = found ?? after;
    open = null;
  }
  if (last !== null && now !== undefined) {
    const author = open === null ? "since" : open.ended_at === null ? "thread" : "unknown";
    stretches.push({ turn: open, from: last, to: now, author });
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
  return moving.map(({ author }, index) => ({ changes: changes[index] ?? [], author }));
}
