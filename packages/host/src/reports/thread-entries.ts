// Reads a thread in order: messages, tool calls, terminals, questions and turn ends. Reads page by page, so that memory does not grow with
// its length.
import type {
  ElicitationRow,
  JsonObject,
  PermissionRow,
  QueryName,
  TerminalRow,
  ThreadRow,
  TimelineItem,
  TurnRow,
} from "@signalbox/protocol";
import { isJsonObject, type Json } from "@signalbox/protocol";

/** What a report needs of the register. The register itself fits, and so does a connection to a host. */
export interface RegisterReader {
  query(name: QueryName, args: JsonObject): Promise<{ readonly rows: readonly Json[]; readonly next_cursor?: string }>;
  readBlob(hash: string): Promise<{ readonly bytes: Uint8Array }>;
}

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
  register: RegisterReader,
  thread: ThreadRow,
  options: { readonly last?: number } = {},
): Promise<ThreadReport> {
  const after = options.last === undefined ? 0 : await placeBefore(register, thread.id, options.last);
  const { rows } = await register.query("plan.get", { thread_id: thread.id });
  const [plan] = rows as unknown as readonly { entries: ThreadReport["plan"] }[];
  return { thread, plan: plan?.entries ?? null, entries: entriesAfter(register, thread.id, after) };
}

/** Every row of a query, oldest first. */
export async function* allRows<Row>(
  register: RegisterReader,
  name: QueryName,
  args: JsonObject,
  { limit = pageSize, after = 0 }: { readonly limit?: number; readonly after?: number } = {},
): AsyncGenerator<Row> {
  let place: JsonObject = { after_seq: after };
  for (;;) {
    const { rows, next_cursor } = await register.query(name, { ...place, ...args, limit });
    yield* rows as unknown as readonly Row[];
    if (next_cursor === undefined) return;
    place = { cursor: next_cursor };
  }
}

async function placeBefore(register: RegisterReader, threadId: string, last: number): Promise<number> {
  const { rows } = await register.query("timeline.list", { thread_id: threadId, limit: last });
  const [first] = rows;
  return isJsonObject(first) && typeof first.seq === "number" ? first.seq - 1 : 0;
}

function entriesAfter(register: RegisterReader, threadId: string, after: number): AsyncGenerator<ThreadEntry> {
  const rows = <Row>(name: QueryName) => allRows<Row>(register, name, { thread_id: threadId }, { after });
  return merge([
    rows<TimelineItem>("timeline.list"),
    map(rows<TerminalRow>("terminals.list"), (row) => ({ type: "terminal" as const, ...row })),
    map(rows<PermissionRow>("permissions.list"), (row) => ({ type: "permission" as const, ...row })),
    map(rows<ElicitationRow>("elicitations.list"), (row) => ({ type: "elicitation" as const, ...row })),
    turnEnds(register, threadId, after),
  ]);
}

/** A turn is placed where it ended, so a turn that began earlier is included. */
async function* turnEnds(register: RegisterReader, threadId: string, after: number): AsyncGenerator<ThreadEntry> {
  for await (const turn of allRows<TurnRow>(register, "turns.list", { thread_id: threadId })) {
    if (turn.last_seq > after) yield { type: "turn_end", seq: turn.last_seq, turn };
  }
}

async function* map<From, To>(source: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To> {
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
