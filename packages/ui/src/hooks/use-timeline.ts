// The entries of the timeline, from top to bottom: items in the order in which they first appeared, the calls of sub-agents under the call
// that started them, the agent's questions and the ends of turns. Runs of finished calls are one entry each.

import {
  type ElicitationRow,
  type NestedItems,
  nestHostItems,
  type TimelineItem,
  type ToolCallRow,
  type TurnRow,
} from "@signalbox/protocol";
import { type OpenThread, useStore } from "@signalbox/react";
import { useMemo } from "react";
import { openItems } from "../stores/open-items.ts";
import { canFold, groupRuns, hasPutAside, hasTerminal, isPlanUpdate, isSilent } from "./runs.ts";
import { buildNesting, type Nesting, type Work } from "./sub-agents.ts";

export type TimelineEntry =
  | (EntryHead & {
      readonly type: "item";
      readonly item: TimelineItem;
      readonly work: FoldedWork | null;
      /** The commands that the host ran for the call, drawn inside it. */
      readonly commands?: readonly ToolCallRow[] | undefined;
      /** A step of an unfolded run: drawn as a row instead of a card. */
      readonly isRow?: true;
    })
  /** Finished calls that are one line until a person unfolds them. */
  | (EntryHead & RunEntry)
  /** The head of a sub-agent whose first call is not loaded. */
  | (EntryHead & { readonly type: "sub_agent"; readonly work: FoldedWork })
  | (EntryHead & { readonly type: "question"; readonly question: ElicitationRow })
  /** The turns from here on are of this agent. */
  | (EntryHead & { readonly type: "agent"; readonly agentId: string })
  /** `agentId` only in a thread that more than one agent had. */
  | (EntryHead & { readonly type: "turn_end"; readonly turn: TurnRow; readonly agentId: string | null });

export interface RunEntry {
  readonly type: "run";
  readonly items: readonly ItemEntry[];
  readonly isOpen: boolean;
}

type ItemEntry = Extract<TimelineEntry, { type: "item" }>;

interface EntryHead {
  readonly key: string;
  readonly seq: number;
  /** How many sub-agents it is nested in. */
  readonly depth: number;
}

/** A sub-agent's work. Its items are on the timeline only while it is open. */
export interface FoldedWork extends Work {
  readonly isOpen: boolean;
}

type IsOpen = (work: Work) => boolean;

export function useTimeline({ view, past }: OpenThread): {
  entries: readonly TimelineEntry[];
  nesting: Nesting | null;
} {
  const loaded = past?.items ?? view?.timeline;
  const { items, within } = useMemo(() => nestHostItems(loaded ?? []), [loaded]);
  const turns = view?.turns;
  const questions = view?.elicitations;
  const threadId = view?.thread.id ?? "";
  const nesting = useMemo(() => buildNesting(items), [items]);
  const chosen = useStore(openItems);
  // Without sub-agents, opening a card does not change these entries.
  const opened = nesting === null ? null : chosen;
  const single = useMemo(() => {
    const isOpen = (work: Work) => opened?.get(workKey(threadId, work)) ?? false;
    return buildEntries({ items, within, turns: turns ?? [], questions: questions ?? [], nesting, isOpen });
  }, [items, within, turns, questions, nesting, threadId, opened]);
  const loud = useLoudTerminals(view);
  const entries = useMemo(() => {
    const isLoud = (call: ToolCallRow) => hasTerminal(call, loud) || chosen.get(`${threadId} ${call.seq}`) === true;
    const isOpen = (seq: number) => chosen.get(runKey(threadId, seq)) === true;
    return foldRuns(single, isLoud, isOpen);
  }, [single, loud, chosen, threadId]);
  return { entries, nesting };
}

/** The terminals of commands that failed or left settings to decide about. The set is a new one only when another command joins it. */
function useLoudTerminals(view: OpenThread["view"]): ReadonlySet<string> {
  const loud = (view?.terminals ?? [])
    .filter((terminal) => terminal.ended_at !== null && (terminal.exit_code !== 0 || hasPutAside(terminal)))
    .map(({ terminal_id }) => terminal_id)
    .join("\n");
  return useMemo(() => new Set(loud === "" ? [] : loud.split("\n")), [loud]);
}

/** The key by which an unfolded run is stored: the seq of one of its calls, so that it stays unfolded when older calls join it. */
export function runKey(threadId: string, seq: number): string {
  return `${threadId} run ${seq}`;
}

/** Folds runs of finished calls; beside the line, where an opened sub-agent stands, they are rows. Updates of the plan are left out. */
export function foldRuns(
  entries: readonly TimelineEntry[],
  isLoud: (call: ToolCallRow) => boolean = () => false,
  isOpen: (seq: number) => boolean = () => false,
): readonly TimelineEntry[] {
  const chooseRole = (entry: TimelineEntry): "step" | "silent" | "apart" => {
    if (entry.type !== "item" || entry.work !== null) return "apart";
    if (isSilent(entry.item)) return "silent";
    return canFold(entry, isLoud) ? "step" : "apart";
  };
  return splitByDepth(entries).flatMap((line) => {
    if ((line[0]?.depth ?? 0) > 0) {
      return line.flatMap((entry) => {
        if (isHidden(entry)) return [];
        return entry.type === "item" && chooseRole(entry) === "step" ? [{ ...entry, isRow: true as const }] : [entry];
      });
    }
    return groupRuns(line, chooseRole).flatMap((group): readonly TimelineEntry[] => {
      if (!("run" in group)) return isHidden(group) ? [] : [group];
      const items = group.run.filter((entry) => entry.type === "item");
      const [first] = items;
      if (first === undefined) return [];
      const { seq, depth } = first;
      const run: TimelineEntry = {
        type: "run",
        key: `run-${seq}`,
        seq,
        depth,
        items,
        isOpen: items.some((entry) => isOpen(entry.seq)),
      };
      return run.isOpen ? [run, ...items.map((entry) => ({ ...entry, isRow: true as const }))] : [run];
    });
  });
}

function isHidden(entry: TimelineEntry): boolean {
  if (entry.type !== "item" || entry.item.type !== "tool_call") return false;
  return entry.item.status !== "failed" && isPlanUpdate(entry.item);
}

/** A run does not reach from a sub-agent into the line beside it. */
function splitByDepth(entries: readonly TimelineEntry[]): readonly (readonly TimelineEntry[])[] {
  const lines: TimelineEntry[][] = [];
  for (const entry of entries) {
    const line = lines.at(-1);
    if (line?.[0]?.depth === entry.depth) line.push(entry);
    else lines.push([entry]);
  }
  return lines;
}

/** The key by which open and folded sub-agents are stored. */
export function workKey(threadId: string, { call }: Work): string {
  return `${threadId} work ${call}`;
}

interface TimelineRows {
  readonly items: readonly TimelineItem[];
  readonly within?: NestedItems["within"];
  readonly turns?: readonly TurnRow[];
  readonly questions?: readonly ElicitationRow[];
  readonly nesting?: Nesting | null;
  readonly isOpen?: IsOpen;
}

/** A turn's end comes after the turn's last event and before the next prompt. */
export function buildEntries({
  items,
  within = new Map(),
  turns = [],
  questions = [],
  nesting = null,
  isOpen = () => false,
}: TimelineRows): TimelineEntry[] {
  const first = items[0]?.seq ?? 0;
  const prompted = turns.filter((turn) => turn.restored_to === null && turn.agent_id !== null);
  const isHandedOver = new Set(prompted.map(({ agent_id }) => agent_id)).size > 1;
  const ended = turns
    .filter((turn) => turn.ended_at !== null && turn.restored_to === null)
    .map((turn) => turnEndEntry(turn, isHandedOver));
  const agents = isHandedOver ? agentEntries(prompted.filter(({ last_seq }) => last_seq >= first)) : [];
  const between = [...questions.map(questionEntry), ...ended]
    .filter(({ seq }) => seq >= first)
    .concat(agents)
    .toSorted((a, b) => a.seq - b.seq);
  const entries: TimelineEntry[] = [];
  const fold = (work: Work | null) => (work === null ? null : { ...work, isOpen: isOpen(work) });
  const addBelow = (work: FoldedWork | null, depth: number) => {
    if (work?.isOpen === true) for (const item of work.items) add(item, depth);
  };
  const add = (item: TimelineItem, depth: number) => {
    const work = fold(nesting?.workOf(item) ?? null);
    const commands = item.type === "tool_call" ? within.get(item.tool_call_id) : undefined;
    entries.push({ type: "item", key: `item-${item.seq}`, seq: item.seq, depth, item, work, commands });
    addBelow(work, depth + 1);
  };
  let next = 0;
  for (const top of nesting?.top ?? items) {
    const seq = top.type === "work" ? (top.items[0]?.seq ?? 0) : top.seq;
    for (let entry = between[next]; entry !== undefined && entry.seq < seq; entry = between[++next])
      entries.push(entry);
    if (top.type === "work") {
      const work = { ...top, isOpen: isOpen(top) };
      entries.push({ type: "sub_agent", key: `work-${top.call}`, seq, depth: 0, work });
      addBelow(work, 1);
    } else add(top, 0);
  }
  for (const entry of between.slice(next)) entries.push(entry);
  return entries;
}

function questionEntry(question: ElicitationRow): TimelineEntry {
  return { type: "question", key: question.elicitation_id, seq: question.seq, depth: 0, question };
}

function turnEndEntry(turn: TurnRow, isHandedOver: boolean): TimelineEntry {
  const agentId = isHandedOver ? turn.agent_id : null;
  return { type: "turn_end", key: turn.turn_id, seq: turn.last_seq, depth: 0, turn, agentId };
}

/** Before the first prompt of each agent, and where the thread changed hands. */
function agentEntries(turns: readonly TurnRow[]): readonly TimelineEntry[] {
  return turns.flatMap(({ turn_id, seq, agent_id }, index) =>
    agent_id === null || agent_id === turns[index - 1]?.agent_id
      ? []
      : [{ type: "agent", key: `agent-${turn_id}`, seq, depth: 0, agentId: agent_id } as const],
  );
}
