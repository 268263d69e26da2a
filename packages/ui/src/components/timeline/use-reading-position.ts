// Remembers where the person was reading in the browser's history entry, so that Back, Forward and a reload return there. Only a scroll by
// the person counts, not one by a jump or by news at the end.
import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useRef } from "react";
import type { TimelineEntry } from "../../hooks/use-timeline.ts";
import type { Target } from "./use-target.ts";

interface ReadingOptions {
  readonly threadId: string;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtual: Virtualizer<HTMLElement, HTMLLIElement>;
  readonly entries: readonly TimelineEntry[];
  readonly isAtEnd: boolean;
}

const pauseMs = 150;
/**
 * How long after a touch of the wheel, a key or the screen a scroll is still the person's, and how long after such a scroll the next one: a slow page
 * needs time to run out, and to put right what it has measured.
 */
const inputMs = 1000;
const inputs = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

export function useReadingPosition({ threadId, scroller, virtual, entries, isAtEnd }: ReadingOptions): void {
  const latest = useRef({ entries, isAtEnd });
  useEffect(() => {
    latest.current = { entries, isAtEnd };
  });
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    let timer = 0;
    let lastInput = Number.NEGATIVE_INFINITY;
    const onInput = () => {
      lastInput = performance.now();
    };
    const onScroll = () => {
      if (performance.now() - lastInput > inputMs) return;
      onInput();
      const address = location.hash;
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        // The person went on to another view meanwhile.
        if (location.hash !== address) return;
        const reading = latest.current.isAtEnd ? null : firstVisible(box, virtual, latest.current.entries);
        setReadingPosition(threadId, reading);
      }, pauseMs);
    };
    for (const input of inputs) box.addEventListener(input, onInput, { passive: true });
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const input of inputs) box.removeEventListener(input, onInput);
      box.removeEventListener("scroll", onScroll);
    };
  }, [threadId, scroller, virtual]);
}

/** Where the person was reading when this history entry was left; null for a new one. */
export function readingPosition(threadId: string): Target | null {
  const place = positions()[threadId];
  if (typeof place !== "object" || place === null || !("seq" in place) || !("offset" in place)) return null;
  const { seq, offset } = place;
  return typeof seq === "number" && typeof offset === "number" ? { seq, offset } : null;
}

/** Null at the end of the thread. */
export function setReadingPosition(threadId: string, place: Target | null): void {
  history.replaceState({ reading: { ...positions(), [threadId]: place } }, "");
}

/** By thread, because two may be open. */
function positions(): Readonly<Record<string, unknown>> {
  const state: unknown = history.state;
  if (typeof state !== "object" || state === null || !("reading" in state)) return {};
  return state.reading as Readonly<Record<string, unknown>>;
}

const isReadable = (entry: TimelineEntry | undefined) => entry?.type === "item" || entry?.type === "run";

function firstVisible(
  box: HTMLElement,
  virtual: Virtualizer<HTMLElement, HTMLLIElement>,
  entries: readonly TimelineEntry[],
): Target | null {
  // The list counts from the first entry, the screen from the top of the box.
  const top = box.scrollTop - Number.parseFloat(getComputedStyle(box).paddingTop);
  const first = virtual.getVirtualItems().find(({ index, end }) => end > top + 1 && isReadable(entries[index]));
  const seq = entries[first?.index ?? -1]?.seq;
  return first === undefined || seq === undefined ? null : { seq, offset: Math.round(first.start - top) };
}
