// Reads a thread in order: messages, tool calls, terminals, questions and turn ends. Reads page by page, so that memory does not grow with
// its length.
import {
  type ElicitationRow,
  isHostItem,
  listShownTerminals,
  type PermissionRow,
  type QueryArgs,
  type QueryPage,
  type QueryRow,
  type TerminalRow,
  type ThreadRow,
  type TimelineItem,
  type TurnRow,
} from "@signalbox/protocol";
import type { RegisterReader } from "@signalbox/tinyvex";

/** The part of the register that a report reads. */
export type ReportSource = Pick<RegisterReader, "query" | "readBlob">;

export type ThreadEntry =
  | TimelineItem
  | ({ readonly type: "permission" } & PermissionRow)
  | ({ readonly type: "elicitation" } & ElicitationRow)
  | ({ readonly type: "terminal" } & TerminalRow)
  | { readonly type: "turn_end"; readonly seq: number; readonly turn: TurnRow };

export interface ThreadReport {
  readonly thread: ThreadRow;
  /** The plan as it stands, or null. */
  readonly plan: readonly { readonly content: string; readonly status: string }[] | null;
  readonly entries: AsyncIterable<ThreadEntry>;
}

const pageSize = 200;
/** The register gives at most this many rows at a time. */
export const maxPageSize = 1000;

/** The whole thread, or its newest `last` items and what belongs to them. */
export async function readThread(
  register: ReportSource,
  thread: ThreadRow,
  options: { readonly last?: number } = {},
): Promise<ThreadReport> {
  const after = options.last === undefined ? 0 : await findStart(register, thread.id, options.last);
  const { rows } = await register.query("plan.get", { thread_id: thread.id });
  return { thread, plan: rows[0]?.entries ?? null, entries: readEntries(register, thread.id, after) };
}

/** The queries that list what is in a thread, page by page. */
type ThreadList =
  | "timeline.list"
  | "terminals.list"
  | "permissions.list"
  | "elicitations.list"
  | "turns.list"
  | "events.list";

/** Every row that a query has, oldest first. */
export async function* readAllRows<Name extends ThreadList>(
  register: ReportSource,
  name: Name,
  args: QueryArgs<Name>,
  { limit = pageSize, after = 0 }: { readonly limit?: number; readonly after?: number } = {},
): AsyncGenerator<QueryRow<Name>> {
  let place: { after_seq: number } | { cursor: string } = { after_seq: after };
  for (;;) {
    const page: QueryPage<Name> = await register.query(name, { ...args, ...place, limit });
    yield* page.rows;
    if (page.next_cursor === undefined) return;
    place = { cursor: page.next_cursor };
  }
}

async function findStart(register: ReportSource, threadId: string, last: number): Promise<number> {
  const { rows } = await register.query("timeline.list", { thread_id: threadId, limit: last });
  const [first] = rows;
  return first === undefined ? 0 : first.seq - 1;
}

function readEntries(register: ReportSource, threadId: string, after: number): AsyncGenerator<ThreadEntry> {
  const args = { thread_id: threadId };
  const terminals = readAllRows(register, "terminals.list", args, { after });
  const permissions = readAllRows(register, "permissions.list", args, { after });
  const elicitations = readAllRows(register, "elicitations.list", args, { after });
  return merge([
    withoutNestedItems(readAllRows(register, "timeline.list", args, { after })),
    mapRows(terminals, (row) => ({ type: "terminal" as const, ...row })),
    mapRows(permissions, (row) => ({ type: "permission" as const, ...row })),
    mapRows(elicitations, (row) => ({ type: "elicitation" as const, ...row })),
    readTurnEnds(register, threadId, after),
  ]);
}

/** Leaves out the host's item of a command that a call of the agent shows: its terminal is an entry anyway. An agent shows it at an earlier call. */
async function* withoutNestedItems(items: AsyncIterable<TimelineItem>): AsyncGenerator<TimelineItem> {
  const shown = new Set<string>();
  for await (const item of items) {
    const terminals = item.type === "tool_call" ? listShownTerminals(item.content) : [];
    const isNested = item.type === "tool_call" && isHostItem(item) && terminals.some((id) => shown.has(id));
    for (const id of terminals) shown.add(id);
    if (!isNested) yield item;
  }
}

/** A turn is placed where it ended, so a turn that began earlier is included. */
async function* readTurnEnds(register: ReportSource, threadId: string, after: number): AsyncGenerator<ThreadEntry> {
  for await (const turn of readAllRows(register, "turns.list", { thread_id: threadId })) {
    if (turn.last_seq > after) yield { type: "turn_end", seq: turn.last_seq, turn };
  }
}

async function* mapRows<From, To>(source: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To> {
  for await (const item of source) yield change(item);
}

/** Merges ordered streams into one ordered stream. */
async function* merge(sources: readonly AsyncGenerator<ThreadEntry>[]): AsyncGenerator<ThreadEntry> {
  const heads = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let first = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [at, head] of heads.entries()) {
      if (head.done === true || head.value.seq >= lowest) continue;
      first = at;
      lowest = head.value.seq;
    }
    const head = heads[first];
    const source = sources[first];
    if (head === undefined || head.done === true || source === undefined) return;
    yield head.value;
    heads[first] = await source.next();
  }
}
