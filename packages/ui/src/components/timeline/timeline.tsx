// The line: every item a stop on it, in the order of first appearance. Only what is near the screen is in the document; the end is followed
// while the person is at the end, and what grows above moves nothing.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import { useKeys } from "../../hooks/use-keys.ts";
import { showWord, useMarkedWords } from "../../hooks/use-marked-words.ts";
import { type Stop, useTimeline } from "../../hooks/use-timeline.ts";
import type { OpenThread } from "../../stores/thread-store.ts";
import { ToolCallItem } from "../tool-call/tool-call-item.tsx";
import { ElicitationStop } from "./elicitation-stop.tsx";
import { isError, isToolCall, nextIndex } from "./jumps.ts";
import { MessageItem } from "./message-item.tsx";
import { TurnEnd } from "./turn-end.tsx";

/** A place to go to, once per object. */
export interface Target {
  readonly seq: number;
}

const near = 8;
const settleTime = 150;
/** How much of the window's height the line mostly has: head and composer take the rest. */
const usualShare = 0.75;

export function Timeline({ thread, target, words }: { thread: OpenThread; target: Target | null; words: string }) {
  const source = useThreadSource();
  const stops = useTimeline(thread);
  const keyed = useSameKeys(stops);
  const scroller = useRef<HTMLElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [marked, setMarked] = useState<number | null>(null);
  const isPast = thread.past !== null;
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
  const goTo = useCallback(
    (index: number) => {
      const seq = stops[index]?.seq;
      if (seq === undefined) return;
      const isTall = (virtual.measurementsCache[index]?.size ?? 0) > (scroller.current?.clientHeight ?? 0);
      virtual.scrollToIndex(index, { align: isTall ? "start" : "center" });
      setMarked(seq);
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
    const index = stops.findIndex((stop) => stop.seq === target.seq);
    if (index < 0) {
      void source.goTo(target.seq);
      return;
    }
    reached.current = target;
    goTo(index);
  }, [target, stops, goTo, source]);

  const items = virtual.getVirtualItems();
  const firstIndex = items[0]?.index ?? 0;
  const lastIndex = items.at(-1)?.index ?? 0;
  const hasOlder = thread.past?.hasOlder ?? thread.view?.has_more ?? false;
  const oldest = stops[0]?.seq;
  useEffect(() => {
    if (hasOlder && firstIndex < near && oldest !== undefined) source.loadOlder().catch(() => {});
  }, [source, hasOlder, firstIndex, oldest]);
  const newest = stops.at(-1)?.seq;
  useEffect(() => {
    if (isPast && lastIndex > stops.length - near && newest !== undefined) source.loadNewer().catch(() => {});
  }, [source, isPast, lastIndex, stops.length, newest]);

  // A question, or a longer prompt, takes its room from the line: who was at the end stays there. Away from it goes who scrolls up.
  const follows = useRef({ end: !hasTarget.current, top: 0, height: 0 });
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
    const marking = stops.findIndex((stop) => stop.seq === marked);
    // From where the eye is, not from what is drawn beyond the edges.
    const middle = (virtual.scrollOffset ?? 0) + (virtual.scrollRect?.height ?? 0) / 2;
    const inSight = virtual.getVirtualItemForOffset(middle)?.index ?? 0;
    goTo(nextIndex(stops, wanted, marking >= 0 ? marking : inSight, step));
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
    if (marked === null || words === "") return;
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
          {items.map(({ index, key, start }) => {
            const stop = stops[index];
            return (
              stop !== undefined && (
                <li
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  data-marked={stop.seq === marked || undefined}
                  className="place"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <StopView stop={stop} />
                </li>
              )
            );
          })}
        </ol>
      </section>
      {(!isAtEnd || isPast) && (
        <button type="button" className="to-end" onClick={toEnd}>
          {isPast ? "Back to the newest" : "To the newest"} <kbd>G</kbd>
        </button>
      )}
    </div>
  );
}

/** The stops as they were while only what they hold changed: the list then keeps all its measures. Order never changes, so the ends tell. */
function useSameKeys(stops: readonly Stop[]): readonly Stop[] {
  const [before, setBefore] = useState(stops);
  const isSame =
    before.length === stops.length && before[0]?.key === stops[0]?.key && before.at(-1)?.key === stops.at(-1)?.key;
  if (!isSame) setBefore(stops);
  return isSame ? before : stops;
}

function StopView({ stop }: { stop: Stop }) {
  if (stop.type === "turn_end") return <TurnEnd turn={stop.turn} />;
  if (stop.type === "question") return <ElicitationStop question={stop.question} />;
  return stop.item.type === "message" ? <MessageItem message={stop.item} /> : <ToolCallItem toolCall={stop.item} />;
}

/** Asked of the document: the list itself may not have heard of the last scroll yet. */
function isAtEndOf(box: HTMLElement | null): boolean {
  return box === null || box.scrollHeight - box.scrollTop - box.clientHeight < 80;
}

/** Near enough that the scroll bar does not lie much. */
function estimate(stop: Stop | undefined): number {
  if (stop === undefined || stop.type === "turn_end") return 34;
  if (stop.type === "question") return 60;
  if (stop.item.type === "tool_call") return 50;
  return Math.min(600, 38 + Math.ceil(stop.item.text.length / 90) * 20);
}
