// What stands on the line, from top to bottom: items in the order of first appearance, and the ends of turns between them.
import type { TimelineItem, TurnRow } from "@signalbox/protocol";
import { useMemo } from "react";
import type { OpenThread } from "../stores/thread-store.ts";

export type Stop =
  | { readonly type: "item"; readonly key: string; readonly seq: number; readonly item: TimelineItem }
  | { readonly type: "turn_end"; readonly key: string; readonly seq: number; readonly turn: TurnRow };

export function useTimeline({ view, past }: OpenThread): readonly Stop[] {
  const items = past?.items ?? view?.timeline;
  const turns = view?.turns;
  return useMemo(() => stopsOf(items ?? [], turns ?? []), [items, turns]);
}

/** A turn's end stands where its last event was: after everything it brought, before the next prompt. */
export function stopsOf(items: readonly TimelineItem[], turns: readonly TurnRow[]): readonly Stop[] {
  const first = items[0]?.seq ?? 0;
  const ended = turns
    .filter((turn) => turn.ended_at !== null && turn.last_seq >= first)
    .toSorted((a, b) => a.last_seq - b.last_seq);
  const stops: Stop[] = [];
  let next = 0;
  for (const item of items) {
    for (let turn = ended[next]; turn !== undefined && turn.last_seq < item.seq; turn = ended[++next]) {
      stops.push(endOf(turn));
    }
    stops.push({ type: "item", key: `item-${item.seq}`, seq: item.seq, item });
  }
  for (const turn of ended.slice(next)) stops.push(endOf(turn));
  return stops;
}

function endOf(turn: TurnRow): Stop {
  return { type: "turn_end", key: turn.turn_id, seq: turn.last_seq, turn };
}
