// Jumps to an entry and marks it. Until the jump has settled, the entry is scrolled to again whenever entries are added before it.
import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useState } from "react";
import { scrollToMatch } from "../../hooks/use-text-highlights.ts";
import type { TimelineEntry } from "../../hooks/use-timeline.ts";
import { nextIndex } from "./next-entry.ts";

interface JumpOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtual: Virtualizer<HTMLElement, HTMLLIElement>;
  readonly entries: readonly TimelineEntry[];
  readonly highlights: readonly string[];
  readonly stopFollowing: () => void;
}

interface Jump {
  readonly key: string;
  readonly isSettled: boolean;
  readonly offset: number | undefined;
}

interface Jumps {
  /** The key of the entry that was jumped to. */
  readonly marked: string | null;
  /** The jump is not over: more items must not be loaded yet. */
  readonly isJumping: boolean;
  /** With `offset`, the entry's top is so far below the top of the timeline, and it is not marked afterwards. */
  readonly goTo: (index: number, offset?: number) => void;
  /** Goes to the next entry that fits, and gives its index; -1 when there is none. */
  readonly goToNext: (fits: (entry: TimelineEntry) => boolean, step: 1 | -1) => number;
  /** The entry that was jumped to last, else the one in the middle of the view. */
  readonly here: () => TimelineEntry | undefined;
  readonly clear: () => void;
}

/** With these a person scrolls; a key may be what began the jump. */
const scrollInputs = ["wheel", "touchmove", "pointerdown"] as const;
const stableFrames = 6;
const maxFrames = 180;
const framesToRetry = 20;

export function useJumps({ scroller, virtual, entries, highlights, stopFollowing }: JumpOptions): Jumps {
  const [jump, setJump] = useState<Jump | null>(null);
  const marked = jump?.key ?? null;
  const isJumping = jump !== null && !jump.isSettled;
  const goTo = useCallback(
    (index: number, offset?: number) => {
      const key = entries[index]?.key;
      if (key === undefined) return;
      stopFollowing();
      setJump({ key, isSettled: false, offset });
    },
    [entries, stopFollowing],
  );
  // The list follows an index, not an entry: after a change of the entries it needs the new index.
  const index = isJumping ? entries.findIndex(({ key }) => key === marked) : -1;
  const offset = jump?.offset;
  useEffect(() => {
    const box = scroller.current;
    if (index < 0 || box === null) return;
    const settle = () =>
      setJump((now) => {
        // Another jump may have begun before this one was taken down: it has not scrolled yet.
        if (now?.key !== marked) return now;
        return offset === undefined ? { ...now, isSettled: true } : null;
      });
    const scroll = () => {
      const isTall = (virtual.measurementsCache[index]?.size ?? 0) > box.clientHeight;
      virtual.scrollToIndex(index, { align: isTall || offset !== undefined ? "start" : "center" });
    };
    scroll();
    const stopWaiting = whenSettled(box, scroll, (entry) => {
      // From here on the list keeps what is in view where it is, whatever is loaded before it.
      virtual.cancelScroll();
      if (offset !== undefined) {
        box.scrollTop += entry.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
      } else if (highlights.length > 0) scrollToMatch(box, entry, highlights);
      settle();
    });
    // A person who scrolls away is not taken back.
    const end = () => {
      stopWaiting();
      virtual.cancelScroll();
      settle();
    };
    for (const input of scrollInputs) box.addEventListener(input, end, { passive: true });
    return () => {
      stopWaiting();
      for (const input of scrollInputs) box.removeEventListener(input, end);
    };
  }, [scroller, virtual, marked, index, offset, highlights]);
  const indexHere = () => {
    const current = entries.findIndex(({ key }) => key === marked);
    const middle = (virtual.scrollOffset ?? 0) + (virtual.scrollRect?.height ?? 0) / 2;
    return current >= 0 ? current : (virtual.getVirtualItemForOffset(middle)?.index ?? 0);
  };
  const goToNext = (fits: (entry: TimelineEntry) => boolean, step: 1 | -1) => {
    const next = nextIndex(entries, fits, indexHere(), step);
    goTo(next);
    return next;
  };
  const clear = useCallback(() => setJump(null), []);
  return { marked, isJumping, goTo, goToNext, here: () => entries[indexHere()], clear };
}

/**
 * Calls back when the marked entry has been in the same place for some frames. While the entry is not in the document, it scrolls again:
 * items that arrive at the end can take the list back there. Gives a function that stops waiting.
 */
function whenSettled(box: HTMLElement, scroll: () => void, onSettled: (entry: Element) => void): () => void {
  let frame = 0;
  let lastTop = Number.NaN;
  let stable = 0;
  let passed = 0;
  const check = () => {
    const entry = box.querySelector("[data-marked]");
    const top = Math.round(entry?.getBoundingClientRect().top ?? Number.NaN);
    stable = top === lastTop ? stable + 1 : 0;
    lastTop = top;
    passed++;
    if (entry === null && passed % framesToRetry === 0) scroll();
    if (entry !== null && (stable >= stableFrames || passed >= maxFrames)) onSettled(entry);
    else frame = requestAnimationFrame(check);
  };
  frame = requestAnimationFrame(check);
  return () => cancelAnimationFrame(frame);
}
