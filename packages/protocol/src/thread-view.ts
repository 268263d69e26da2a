// Implements the pure reducer that host and page share: what a snapshot or a change does to a thread as a client knows it. Applying a change
// twice changes nothing. A change that does not follow what is known marks a gap.
import type { TimelineItem } from "./rows.ts";
import type { MessageChange, MessageFinalized, ThreadChange, ThreadSnapshot } from "./server-messages.ts";
import {
  type ListParts,
  makeLists,
  type PlanRow,
  type TerminalRow,
  type ThreadListName,
  type ThreadLists,
  type ThreadRow,
  type ThreadStateRow,
  threadListIds,
} from "./tables.ts";

export interface ThreadView extends ListParts {
  readonly thread: ThreadRow;
  /** By first appearance; the order of what is here never changes. */
  readonly timeline: readonly TimelineItem[];
  readonly plan: PlanRow | null;
  readonly state: ThreadStateRow | null;
  readonly has_more: boolean;
  /** The last event this view knows. */
  readonly seq: number;
  /** Something was missed: subscribe again with `after_seq: seq`. */
  readonly gap: boolean;
}

/** Applies a snapshot: the whole thread, or what is newer than `view` when that was asked for. */
export function applySnapshot(view: ThreadView | null, snapshot: ThreadSnapshot): ThreadView {
  const { newer_only, ...whole } = snapshot;
  if (view === null || !newer_only) return { ...whole, gap: false };
  // All queued turns are in the snapshot: one that is not there was taken out of the queue.
  const newer: ListParts = snapshot;
  const known: ListParts = { ...view, turns: view.turns.filter((turn) => turn.status !== "queued") };
  return {
    ...whole,
    ...makeLists((name) => placeRows(name, known[name], newer[name])),
    timeline: snapshot.timeline.reduce(placeItem, view.timeline),
    has_more: view.has_more,
    gap: false,
  };
}

/** Puts an older page before what is shown. */
export function applyOlderPage(view: ThreadView, older: readonly TimelineItem[], hasMore: boolean): ThreadView {
  const first = view.timeline[0];
  const unseen = first === undefined ? older : older.filter((item) => item.seq < first.seq);
  return { ...view, timeline: [...unseen, ...view.timeline], has_more: hasMore };
}

/** Takes one change. The same change twice, or one from before the snapshot, leaves the view as it is. */
export function applyChange(view: ThreadView, change: ThreadChange): ThreadView {
  if (view.gap || change.thread_id !== view.thread.id) return view;
  const seq = Math.max(view.seq, change.seq);
  switch (change.stream) {
    case "messages":
      return change.type === "tinyvex.finalize" ? finalizeMessage(view, change) : extendMessage(view, change);
    case "tool_calls":
      return { ...view, seq, timeline: placeItem(view.timeline, { type: "tool_call", ...change.row }) };
    case "plan":
      return change.seq < view.seq ? view : { ...view, seq, plan: change.row };
    case "state":
      return change.seq < view.seq ? view : { ...view, seq, state: change.row };
    case "turns":
      if ("removed" in change) {
        return { ...view, seq, turns: view.turns.filter((turn) => turn.turn_id !== change.removed) };
      }
      return { ...view, seq, ...placeChange(view, change) };
    case "terminals":
      return extendTerminal(view, change.row);
    default:
      // A newer host may send what this page does not know.
      return Object.hasOwn(threadListIds, change.stream) ? { ...view, seq, ...placeChange(view, change) } : view;
  }
}

/** The list of a change, with its row in it. */
function placeChange<Name extends ThreadListName>(
  lists: ListParts,
  { stream, row }: { readonly stream: Name; readonly row: ThreadLists[Name] },
): Partial<ListParts> {
  return { [stream]: placeRows(stream, lists[stream], [row]) };
}

/** Puts rows of a list where they belong, in the place of those with the same key. */
function placeRows<Name extends ThreadListName>(
  name: Name,
  known: readonly ThreadLists[Name][],
  rows: readonly ThreadLists[Name][],
): readonly ThreadLists[Name][] {
  const idOf = threadListIds[name];
  return rows.reduce((placed, row) => place(placed, row, (other) => idOf(other) === idOf(row)), known);
}

function extendMessage(view: ThreadView, change: MessageChange): ThreadView {
  const seq = Math.max(view.seq, change.seq);
  const index = findItem(view.timeline, change.item_seq);
  const known = index < 0 ? undefined : view.timeline[index];
  if (known === undefined || known.type !== "message") {
    if (change.text_offset > 0) return { ...view, gap: true };
    const opened: TimelineItem = {
      type: "message",
      thread_id: change.thread_id,
      item_id: change.item_id,
      seq: change.item_seq,
      last_seq: change.seq,
      role: change.role,
      kind: change.kind,
      text: change.text_delta,
      text_offset: 0,
      text_len: change.text_delta.length,
      text_ref: null,
      content: change.content ?? null,
      partial: true,
      parent_tool_call_id: change.parent_tool_call_id ?? null,
      created_at: change.ts,
      updated_at: change.ts,
    };
    return { ...view, seq, timeline: placeItem(view.timeline, opened) };
  }
  const behind = known.text_len - change.text_offset;
  if (behind < 0) return { ...view, gap: true };
  // A change may repeat text of the snapshot when the subscription overlaps it; only the unknown rest counts.
  const text = known.text + change.text_delta.slice(behind);
  const timeline = view.timeline.with(index, {
    ...known,
    last_seq: Math.max(known.last_seq, change.seq),
    text,
    text_len: known.text_offset + text.length,
    content: change.seq >= known.last_seq ? (change.content ?? known.content) : known.content,
    updated_at: Math.max(known.updated_at, change.ts),
  });
  return { ...view, seq, timeline };
}

/** The most of a terminal's output that a view keeps, in UTF-16 units; a change that carries as much replaces what was there. */
const maxOutput = 64 * 1024;

/** A change carries the part of the output that is new; it follows what is known, or begins inside it. */
function extendTerminal(view: ThreadView, row: TerminalRow): ThreadView {
  const isSame = (other: TerminalRow) => other.terminal_id === row.terminal_id;
  const known = view.terminals.findLast(isSame);
  const seq = Math.max(view.seq, row.last_seq);
  if (known !== undefined && known.last_seq >= row.last_seq) return { ...view, seq };
  const knownEnd = known === undefined ? 0 : known.output_offset + known.output.length;
  if (row.output_offset > knownEnd && row.output.length < maxOutput) return { ...view, gap: true };
  const isContinued = known !== undefined && row.output_offset > known.output_offset && row.output_offset <= knownEnd;
  const extended = isContinued
    ? {
        ...row,
        output: known.output.slice(0, row.output_offset - known.output_offset) + row.output,
        output_offset: known.output_offset,
      }
    : row;
  return { ...view, seq, terminals: place(view.terminals, withoutBeginning(extended), isSame) };
}

/** Only when there is twice too much: dropping the beginning copies the rest. */
function withoutBeginning(row: TerminalRow): TerminalRow {
  const dropped = row.output.length - maxOutput;
  if (dropped < maxOutput) return row;
  return { ...row, output: row.output.slice(dropped), output_offset: row.output_offset + dropped };
}

function finalizeMessage(view: ThreadView, change: MessageFinalized): ThreadView {
  const index = view.timeline.findLastIndex((item) => item.type === "message" && item.item_id === change.item_id);
  const known = view.timeline[index];
  const seq = Math.max(view.seq, change.seq);
  // An item of an older page that is not loaded needs no ending here.
  if (known === undefined || known.type !== "message") return { ...view, seq };
  if (known.text_len < change.text_len) return { ...view, gap: true };
  const last_seq = Math.max(known.last_seq, change.seq);
  return { ...view, seq, timeline: view.timeline.with(index, { ...known, partial: false, last_seq }) };
}

function placeItem(timeline: readonly TimelineItem[], item: TimelineItem): readonly TimelineItem[] {
  return place(timeline, item, (other) => other.seq === item.seq);
}

/** Replaces the row that `same` finds, unless that one is newer, or inserts it at its place by `seq`. */
function place<Row extends { readonly seq: number; readonly last_seq: number }>(
  rows: readonly Row[],
  row: Row,
  same: (other: Row) => boolean,
): readonly Row[] {
  // Most changes concern the newest rows, so the search starts at the end.
  for (let index = rows.length - 1; index >= 0; index--) {
    const other = rows[index];
    if (other === undefined) break;
    if (same(other)) return other.last_seq > row.last_seq ? rows : rows.with(index, row);
    if (other.seq < row.seq) return rows.toSpliced(index + 1, 0, row);
  }
  return [row, ...rows];
}

function findItem(timeline: readonly TimelineItem[], seq: number): number {
  return timeline.findLastIndex((item) => item.seq === seq);
}
