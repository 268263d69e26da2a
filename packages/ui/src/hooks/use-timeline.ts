// What stands on the line, from top to bottom: items in the order of first appearance, and between them the agent's questions and the ends
// of turns.
import type { ElicitationRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import { useMemo } from "react";
import type { OpenThread } from "../stores/thread-store.ts";

export type Stop =
  | { readonly type: "item"; readonly key: string; readonly seq: number; readonly item: TimelineItem }
  | { readonly type: "question"; readonly key: string; readonly seq: number; readonly question: ElicitationRow }
  | { readonly type: "turn_end"; readonly key: string; readonly seq: number; readonly turn: TurnRow };

export function useTimeline({ view, past }: OpenThread): readonly Stop[] {
  const items = past?.items ?? view?.timeline;
  const turns = view?.turns;
  const questions = view?.elicitations;
  return useMemo(() => stopsOf(items ?? [], turns ?? [], questions ?? []), [items, turns, questions]);
}

/** A turn's end stands where its last event was: after everything it brought, before the next prompt. */
export function stopsOf(
  items: readonly TimelineItem[],
  turns: readonly TurnRow[],
  questions: readonly ElicitationRow[] = [],
): readonly Stop[] {
  const first = items[0]?.seq ?? 0;
  const ended = turns.filter((turn) => turn.ended_at !== null).map(endOf);
  const between = [...questions.map(stopOf), ...ended]
    .filter((stop) => stop.seq >= first)
    .toSorted((a, b) => a.seq - b.seq);
  const stops: Stop[] = [];
  let next = 0;
  for (const item of items) {
    for (let stop = between[next]; stop !== undefined && stop.seq < item.seq; stop = between[++next]) stops.push(stop);
    stops.push({ type: "item", key: `item-${item.seq}`, seq: item.seq, item });
  }
  for (const stop of between.slice(next)) stops.push(stop);
  return stops;
}

function stopOf(question: ElicitationRow): Stop {
  return { type: "question", key: question.elicitation_id, seq: question.seq, question };
}

function endOf(turn: TurnRow): Stop {
  return { type: "turn_end", key: turn.turn_id, seq: turn.last_seq, turn };
}
