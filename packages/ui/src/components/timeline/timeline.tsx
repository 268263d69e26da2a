// The line: every item a stop on it, in the order of first appearance. Only what is near the screen is in the document; the end is followed
// while the person is at the end, and what grows above moves nothing.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import { useKeys } from "../../hooks/use-keys.ts";
import { showWord, useMarkedWords } from "../../hooks/use-marked-words.ts";
import { type Stop, useTimeline, workKey } from "../../hooks/use-timeline.ts";
import { setOpen } from "../../stores/open-items.ts";
import type { OpenThread } from "../../stores/thread-store.ts";
import { foldOf, isError, isToolCall, nextIndex } from "./jumps.ts";
import { StopView } from "./stop-view.tsx";
import type { OnFold } from "./sub-agent-fold.tsx";
import { useOlderItems } from "./use-older-items.ts";

/** A place to go to, once per object. */
export interface Target {
  readonly seq: number;
}

const near = 8;
const settleTime = 150;
/** How much of the window's height the line mostly has: head and composer take the rest. */
const usualShare = 0.75;

export function Timeline({
  thread,
  target,
  words,
}: {
  thread: OpenThread;
  target: Target | null;
  words: readonly string[];
}) {
  const source = useThreadSource();
  const { stops, nesting } = useTimeline(thread);
  const keyed = useSameKeys(stops);
  const scroller = useRef<HTMLElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [marked, setMarked] = useState<string | null>(null);
  const isPast = thread.past !== null;
  const threadId = thread.view?.thread.id ?? "";
  const virtual = useVirtualizer({
    count: stops.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => keyed[index]?.key ?? index, [keyed]),
    estimateSize: useCallback((index: number) => estimate(keyed[index]), [keyed]),
    overscan: 6,
    // The first drawing is already that of the end, without one of the beginning before it.
    initialRect: { width: innerWidth, height: innerHeight * usualShare },
    initialOffset: () => (target === null ? stops.reduce((sum, stop) => sum + estimate(stop), 0) : 0),
    anchorTo: "end",
    followOnAppend: !isPast,
    scrollEndThreshold: 40,
  });
  // A question, or a longer prompt, takes its room from the line: who was at the end stays there. Away from it goes who scrolls up, goes
  // to a place, or opens the work of a sub-agent to read it.
  const follows = useRef({ end: target === null, top: 0, height: 0 });
  const fold: OnFold = useCallback(
    (work, isOpen) => {
      follows.current = { ...follows.current, end: false };
      setOpen(workKey(threadId, work), isOpen);
    },
    [threadId],
  );
  const goTo = useCallback(
    (index: number) => {
      const key = stops[index]?.key;
      if (key === undefined) return;
      follows.current = { ...follows.current, end: false };
      const isTall = (virtual.measurementsCache[index]?.size ?? 0) > (scroller.current?.clientHeight ?? 0);
      virtual.scrollToIndex(index, { align: isTall ? "start" : "center" });
      setMarked(key);
    },
    [virtual, stops],
  );
  // Only at the beginning: later the person decides where to be.
  const hasTarget = useRef(target !== null);
  useLayoutEffect(() => {
    if (!hasTarget.current) virtual.scrollToEnd();
  }, [virtual]);
  const reached = useRef<Target | null>(null);
  useEffect(() => {
    if (target === null || reached.current === target) return;
    const index = stops.findIndex((stop) => stop.type !== "sub_agent" && stop.seq === target.seq);
    if (index >= 0) {
      reached.current = target;
      return goTo(index);
    }
    const folds = nesting?.worksAround(target.seq) ?? [];
    if (folds.length === 0) void source.goTo(target.seq);
    for (const work of folds) fold(work, true);
  }, [target, stops, goTo, source, nesting, fold]);

  const drawn = virtual.getVirtualItems();
  const firstIndex = drawn[0]?.index ?? 0;
  const lastIndex = drawn.at(-1)?.index ?? 0;
  const hasOlder = thread.past?.hasOlder ?? thread.view?.has_more ?? false;
  // Of the items, not of the stops: a page of a sub-agent's work may bring no other stop.
  const items = thread.past?.items ?? thread.view?.timeline;
  const oldest = items?.[0]?.seq;
  const loadOlder = useOlderItems({ hasOlder, oldest, count: stops.length, isNear: firstIndex < near });
  const newest = items?.at(-1)?.seq;
  useEffect(() => {
    if (isPast && lastIndex > stops.length - near && newest !== undefined) source.loadNewer().catch(() => {});
  }, [source, isPast, lastIndex, stops.length, newest]);

  const held = useRef({ from: 0, until: 0 });
  const look = useCallback((box: HTMLElement) => {
    const { end, top, height } = follows.current;
    const { from, until } = held.current;
    // The list may put it back to where the end was before: then once more.
    if (end && performance.now() < until && Math.abs(box.scrollTop - from) < 2) box.scrollTop = box.scrollHeight;
    const isAtEndNow = isAtEndOf(box);
    const wentUp = box.scrollTop < top && box.clientHeight === height;
    follows.current = { end: isAtEndNow || (end && !wentUp), top: box.scrollTop, height: box.clientHeight };
    setAtEnd(isAtEndNow);
  }, []);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => {
      if (follows.current.end && !isPast) {
        held.current = { from: box.scrollTop, until: performance.now() + settleTime };
        box.scrollTop = box.scrollHeight;
      }
      look(box);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [isPast, look]);
  // What is measured anew moves the end as well.
  const total = virtual.getTotalSize();
  useEffect(() => {
    if (scroller.current !== null && total > 0) look(scroller.current);
  }, [total, look]);

  const toEnd = () => {
    source.toEnd();
    setMarked(null);
    requestAnimationFrame(() => virtual.scrollToEnd());
  };
  const jump = (wanted: (stop: Stop) => boolean, step: 1 | -1) => () => {
    const marking = stops.findIndex((stop) => stop.key === marked);
    // From where the eye is, not from what is drawn beyond the edges.
    const middle = (virtual.scrollOffset ?? 0) + (virtual.scrollRect?.height ?? 0) / 2;
    const inSight = virtual.getVirtualItemForOffset(middle)?.index ?? 0;
    const index = nextIndex(stops, wanted, marking >= 0 ? marking : inSight, step);
    goTo(index);
    // An error in a fold: it opens, and the next jump goes to the call itself.
    const folded = wanted === isError ? foldOf(stops[index]) : null;
    if (folded !== null) fold(folded, true);
  };
  useKeys({
    g: toEnd,
    End: toEnd,
    t: jump(isToolCall, 1),
    T: jump(isToolCall, -1),
    e: jump(isError, 1),
    E: jump(isError, -1),
  });
  useMarkedWords(scroller, words);
  useEffect(() => {
    if (marked === null || words.length === 0) return;
    // When the list has found its place: sizes are measured as they come into sight.
    const timer = setTimeout(() => {
      const place = scroller.current?.querySelector("[data-marked]");
      if (scroller.current !== null && place) showWord(scroller.current, place, words);
    }, settleTime);
    return () => clearTimeout(timer);
  }, [marked, words]);
  return (
    <div className="timeline-frame">
      <section
        className="timeline"
        ref={scroller}
        aria-label="Timeline"
        tabIndex={0}
        onScroll={(event) => look(event.currentTarget)}
      >
        <ol className="track" style={{ height: total }}>
          {drawn.map(({ index, key, start }) => {
            const stop = stops[index];
            return (
              stop !== undefined && (
                <li
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  data-marked={stop.key === marked || undefined}
                  data-depth={stop.depth || undefined}
                  aria-level={stop.depth > 0 ? stop.depth + 1 : undefined}
                  className="place"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <StopView stop={stop} onFold={fold} />
                </li>
              )
            );
          })}
        </ol>
      </section>
      {loadOlder !== null && (
        <button type="button" className="to-earlier" onClick={loadOlder}>
          Load what was before
        </button>
      )}
      {stops.length === 0 && (
        <p className="nothing-yet">Nothing has happened here yet. Say below what should be done.</p>
      )}
      {(!isAtEnd || isPast) && (
        <button type="button" className="to-end" onClick={toEnd}>
          {isPast ? "Back to the newest" : "To the newest"} <kbd>G</kbd>
        </button>
      )}
    </div>
  );
}

/** The stops as they were while only what they hold changed: the list then keeps all its measures. */
function useSameKeys(stops: readonly Stop[]): readonly Stop[] {
  const [before, setBefore] = useState(stops);
  const isSame =
    before.length === stops.length &&
    before.every(({ type, seq }, index) => stops[index]?.seq === seq && stops[index].type === type);
  if (!isSame) setBefore(stops);
  return isSame ? before : stops;
}

/** Asked of the document: the list itself may not have heard of the last scroll yet. */
function isAtEndOf(box: HTMLElement | null): boolean {
  return box === null || box.scrollHeight - box.scrollTop - box.clientHeight < 80;
}

/** Near enough that the scroll bar does not lie much. */
function estimate(stop: Stop | undefined): number {
  if (stop === undefined || stop.type === "turn_end") return 34;
  if (stop.type === "question" || stop.type === "sub_agent") return 60;
  if (stop.item.type === "tool_call") return stop.work === null ? 50 : 76;
  return Math.min(600, 38 + Math.ceil(stop.item.text.length / 90) * 20);
}
