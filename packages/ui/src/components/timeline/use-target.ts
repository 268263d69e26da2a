// Opens the timeline at a target: loads the items around it, unfolds the sub-agents it is in, and jumps there once.
import { useEffect, useRef } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import type { Nesting, Work } from "../../hooks/sub-agents.ts";
import type { TimelineEntry } from "../../hooks/use-timeline.ts";

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
}

/** A command that is drawn inside a call is reached at that call. */
function isAt(entry: TimelineEntry, seq: number): boolean {
  if (entry.seq === seq) return true;
  return entry.type === "item" && entry.commands?.some((command) => command.seq === seq) === true;
}

export function useTarget({ target, entries, nesting, goTo, unfold }: TargetOptions): void {
  const source = useThreadSource();
  const reached = useRef<Target | null>(null);
  useEffect(() => {
    if (target === null || reached.current === target) return;
    const index = entries.findIndex((entry) => entry.type !== "sub_agent" && isAt(entry, target.seq));
    if (index >= 0) {
      reached.current = target;
      goTo(index, target.offset);
      return;
    }
    const folds = nesting?.worksAround(target.seq) ?? [];
    // If the connection is lost, opening the thread again tries once more.
    if (folds.length === 0) source.goTo(target.seq).catch(() => {});
    for (const work of folds) unfold(work);
  }, [target, entries, goTo, source, nesting, unfold]);
}
