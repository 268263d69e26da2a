// Opens the timeline at a target: loads the items around it, unfolds the sub-agents and the run that it is in, and jumps there once.
import { useEffect, useRef } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import type { Nesting, Work } from "../../hooks/sub-agents.ts";
import type { RunEntry, TimelineEntry } from "../../hooks/use-timeline.ts";

/** An item to go to. Each object is followed once. */
export interface Target {
  readonly seq: number;
  /** How far below the top of the timeline it was, to read on there; without it the item is shown in the middle, marked. */
  readonly offset?: number;
}

interface TargetOptions {
  readonly target: Target | null;
  readonly entries: readonly TimelineEntry[];
  readonly nesting: Nesting | null;
  readonly goTo: (index: number, offset?: number) => void;
  readonly unfold: (work: Work) => void;
  readonly unfoldRun: (run: RunEntry) => void;
}

/** A command that is drawn inside a call is reached at that call. */
function isAt(entry: TimelineEntry, seq: number): boolean {
  if (entry.seq === seq) return true;
  return entry.type === "item" && entry.commands?.some((command) => command.seq === seq) === true;
}

/** An update of the plan has no entry of its own: the one before it is nearest, where both its neighbours are loaded. */
function findNearest(entries: readonly TimelineEntry[], seq: number): number {
  const isLoaded = (entries[0]?.seq ?? seq) < seq && seq < (entries.at(-1)?.seq ?? seq);
  return isLoaded ? entries.findLastIndex((entry) => entry.seq < seq) : -1;
}

export function useTarget({ target, entries, nesting, goTo, unfold, unfoldRun }: TargetOptions): void {
  const source = useThreadSource();
  const reached = useRef<Target | null>(null);
  useEffect(() => {
    if (target === null || reached.current === target) return;
    const folded = entries.find(
      (entry) => entry.type === "run" && !entry.isOpen && entry.items.some((item) => isAt(item, target.seq)),
    );
    // A place to read on at is the line of the run itself.
    if (folded?.type === "run" && target.offset === undefined) return unfoldRun(folded);
    const isHead = ({ type }: TimelineEntry) => type === "sub_agent" || (type === "run" && target.offset === undefined);
    const exact = entries.findIndex((entry) => !isHead(entry) && isAt(entry, target.seq));
    const folds = nesting?.worksAround(target.seq) ?? [];
    const index = exact >= 0 || folds.length > 0 ? exact : findNearest(entries, target.seq);
    if (index >= 0) {
      reached.current = target;
      goTo(index, target.offset);
      return;
    }
    // If the connection is lost, opening the thread again tries once more.
    if (folds.length === 0) source.goTo(target.seq).catch(() => {});
    for (const work of folds) unfold(work);
  }, [target, entries, goTo, source, nesting, unfold, unfoldRun]);
}
