// What stands on the line, from top to bottom: items in the order of first appearance, the work of sub-agents under the call that started
// them, and between them the agent's questions and the ends of turns.
import type { ElicitationRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import { useMemo } from "react";
import { openItems } from "../stores/open-items.ts";
import type { OpenThread } from "../stores/thread-store.ts";
import { type Nesting, nestingOf, type Work } from "./sub-agents.ts";
import { useStore } from "./use-store.ts";

export type Stop =
  | (Place & { readonly type: "item"; readonly item: TimelineItem; readonly work: FoldedWork | null })
  /** The head of a sub-agent's work whose call is not loaded. */
  | (Place & { readonly type: "sub_agent"; readonly work: FoldedWork })
  | (Place & { readonly type: "question"; readonly question: ElicitationRow })
  | (Place & { readonly type: "turn_end"; readonly turn: TurnRow });

interface Place {
  readonly key: string;
  readonly seq: number;
  /** How many sub-agents it stands under. */
  readonly depth: number;
}

/** A sub-agent's work, whose items are on the line only while it is open. */
export interface FoldedWork extends Work {
  readonly isOpen: boolean;
}

type IsOpen = (work: Work) => boolean;

export function useTimeline({ view, past }: OpenThread): { stops: readonly Stop[]; nesting: Nesting | null } {
  const items = past?.items ?? view?.timeline;
  const turns = view?.turns;
  const questions = view?.elicitations;
  const threadId = view?.thread.id ?? "";
  const nesting = useMemo(() => nestingOf(items ?? []), [items]);
  const chosen = useStore(openItems);
  // Which cards are open changes nothing on a line without sub-agents.
  const opened = nesting === null ? null : chosen;
  const stops = useMemo(() => {
    const isOpen = (work: Work) => opened?.get(workKey(threadId, work)) ?? false;
    return stopsOf({ items: items ?? [], turns: turns ?? [], questions: questions ?? [], nesting, isOpen });
  }, [items, turns, questions, nesting, threadId, opened]);
  return { stops, nesting };
}

/** By which the fold of a sub-agent's work is remembered. */
export function workKey(threadId: string, { call }: Work): string {
  return `${threadId} work ${call}`;
}

interface Line {
  readonly items: readonly TimelineItem[];
  readonly turns?: readonly TurnRow[];
  readonly questions?: readonly ElicitationRow[];
  readonly nesting?: Nesting | null;
  readonly isOpen?: IsOpen;
}

/** A turn's end stands where its last event was: after everything it brought, before the next prompt. */
export function stopsOf({ items, turns = [], questions = [], nesting = null, isOpen = () => false }: Line): Stop[] {
  const first = items[0]?.seq ?? 0;
  const ended = turns.filter((turn) => turn.ended_at !== null).map(endOf);
  const between = [...questions.map(stopOf), ...ended]
    .filter((stop) => stop.seq >= first)
    .toSorted((a, b) => a.seq - b.seq);
  const stops: Stop[] = [];
  const fold = (work: Work | null) => (work === null ? null : { ...work, isOpen: isOpen(work) });
  const putBelow = (work: FoldedWork | null, depth: number) => {
    if (work?.isOpen === true) for (const item of work.items) put(item, depth);
  };
  const put = (item: TimelineItem, depth: number) => {
    const work = fold(nesting?.workOf(item) ?? null);
    stops.push({ type: "item", key: `item-${item.seq}`, seq: item.seq, depth, item, work });
    putBelow(work, depth + 1);
  };
  let next = 0;
  for (const entry of nesting?.top ?? items) {
    const seq = entry.type === "work" ? (entry.items[0]?.seq ?? 0) : entry.seq;
    for (let stop = between[next]; stop !== undefined && stop.seq < seq; stop = between[++next]) stops.push(stop);
    if (entry.type === "work") {
      const work = { ...entry, isOpen: isOpen(entry) };
      stops.push({ type: "sub_agent", key: `work-${entry.call}`, seq, depth: 0, work });
      putBelow(work, 1);
    } else put(entry, 0);
  }
  for (const stop of between.slice(next)) stops.push(stop);
  return stops;
}

function stopOf(question: ElicitationRow): Stop {
  return { type: "question", key: question.elicitation_id, seq: question.seq, depth: 0, question };
}

function endOf(turn: TurnRow): Stop {
  return { type: "turn_end", key: turn.turn_id, seq: turn.last_seq, depth: 0, turn };
}
