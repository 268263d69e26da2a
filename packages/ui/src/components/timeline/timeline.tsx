// Shows a thread's entries in the order in which they first appeared. Only those near the visible part are in the document.
import type { OpenThread } from "@signalbox/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import { usePartName } from "../../hooks/pane.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { useTextHighlights } from "../../hooks/use-text-highlights.ts";
import { type RunEntry, runKey, type TimelineEntry, useTimeline, workKey } from "../../hooks/use-timeline.ts";
import { openItems, setOpen } from "../../stores/open-items.ts";
import { EntryView } from "./entry-view.tsx";
import { isError, isToolCall, readFold } from "./next-entry.ts";
import type { OnFold } from "./sub-agent-fold.tsx";
import { useFollowEnd } from "./use-follow-end.ts";
import { useJumps } from "./use-jumps.ts";
import { useMoreItems } from "./use-more-items.ts";
import { setReadingPosition, useReadingPosition } from "./use-reading-position.ts";
import { type Target, useTarget } from "./use-target.ts";

interface TimelineProps {
  readonly thread: OpenThread;
  readonly target: Target | null;
  /** Text to highlight. */
  readonly highlights: readonly string[];
}

/** How much of the window's height the timeline usually has: head and composer take the rest. */
const usualShare = 0.75;

export function Timeline({ thread, target, highlights }: TimelineProps) {
  const source = useThreadSource();
  const { entries, nesting } = useTimeline(thread);
  const keyed = useSameKeys(entries);
  const scroller = useRef<HTMLElement>(null);
  const isPast = thread.past !== null;
  const threadId = thread.view?.thread.id ?? "";
  const virtual = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: entries.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => keyed[index]?.key ?? index, [keyed]),
    estimateSize: useCallback((index: number) => estimateHeight(keyed[index]), [keyed]),
    overscan: 6,
    // The first drawing already shows the end, without drawing the beginning before it.
    initialRect: { width: innerWidth, height: innerHeight * usualShare },
    initialOffset: () => (target === null ? entries.reduce((sum, entry) => sum + estimateHeight(entry), 0) : 0),
    anchorTo: "end",
    followOnAppend: !isPast,
    scrollEndThreshold: 40,
  });
  const startsAtEnd = useRef(target === null).current;
  const { isAtEnd, onScroll, stopFollowing } = useFollowEnd({ scroller, virtual, startsAtEnd, isPast });
  useLayoutEffect(() => {
    if (startsAtEnd) virtual.scrollToEnd();
  }, [virtual, startsAtEnd]);
  const jumps = useJumps({ scroller, virtual, entries, highlights, stopFollowing });
  const fold: OnFold = useCallback(
    (work, isOpen) => {
      stopFollowing();
      setOpen(workKey(threadId, work), isOpen);
    },
    [threadId, stopFollowing],
  );
  const unfold = useCallback((work: Parameters<OnFold>[0]) => fold(work, true), [fold]);
  const toggleRun = useCallback(
    (run: RunEntry) => {
      stopFollowing();
      // Any of its calls may be what keeps a run open.
      const isOpener = ({ seq }: { seq: number }) => openItems.get().get(runKey(threadId, seq)) === true;
      for (const { seq } of run.isOpen ? run.items.filter(isOpener) : run.items.slice(0, 1))
        setOpen(runKey(threadId, seq), !run.isOpen);
    },
    [threadId, stopFollowing],
  );
  const [first, setFirst] = useState<{ readonly item: Target; readonly after: Target | null } | null>(null);
  // A newer target, such as a match, comes before the start that was asked for earlier.
  const wanted = first !== null && first.after === target ? first.item : target;
  useTarget({ target: wanted, entries, nesting, goTo: jumps.goTo, unfold, unfoldRun: toggleRun });
  useReadingPosition({ threadId, scroller, virtual, entries, isAtEnd: isAtEnd && !isPast });
  const drawn = virtual.getVirtualItems();
  const loadOlder = useMoreItems({
    thread,
    count: entries.length,
    firstIndex: drawn[0]?.index ?? 0,
    lastIndex: drawn.at(-1)?.index ?? 0,
    isPaused: jumps.isJumping,
  });
  useTextHighlights(scroller, highlights);

  const goToStart = () => {
    stopFollowing();
    // If the connection is lost, the next press tries again.
    source.toStart().then(
      (seq) => seq !== null && setFirst({ item: { seq, offset: 0 }, after: target }),
      () => {},
    );
  };
  const goToEnd = () => {
    source.toEnd();
    setReadingPosition(threadId, null);
    jumps.clear();
    requestAnimationFrame(() => virtual.scrollToEnd());
  };
  const goToError = (step: 1 | -1) => {
    // An error inside a folded sub-agent: unfold it, and the next press goes to the call itself.
    const folded = readFold(entries[jumps.goToNext(isError, step)]);
    if (folded !== null) unfold(folded);
  };
  const goToPrompt = (step: 1 | -1) => {
    const from = jumps.here()?.seq;
    if (from === undefined) return;
    source.findPrompt(from, step).then(
      (seq) => seq !== null && setFirst({ item: { seq }, after: target }),
      () => {},
    );
  };
  useKeys({ "alt+g": goToEnd, End: goToEnd, Home: goToStart });
  useKeys(
    {
      "[": () => goToPrompt(-1),
      "]": () => goToPrompt(1),
      g: goToEnd,
      t: () => jumps.goToNext(isToolCall, 1),
      T: () => jumps.goToNext(isToolCall, -1),
      e: () => goToError(1),
      E: () => goToError(-1),
    },
    { part: scroller },
  );
  return (
    <div className="timeline-frame">
      <section
        className="timeline"
        ref={scroller}
        aria-label={usePartName("Timeline")}
        tabIndex={0}
        onScroll={(event) => onScroll(event.currentTarget)}
        // Focused by a click, it needs no frame around it.
        onPointerDown={({ currentTarget }) => currentTarget.setAttribute("data-clicked", "")}
        onBlur={({ currentTarget }) => currentTarget.removeAttribute("data-clicked")}
      >
        <ol className="track" style={{ height: virtual.getTotalSize() }}>
          {drawn.map(({ index, key, start }) => {
            const entry = entries[index];
            return (
              entry !== undefined && (
                <li
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  data-marked={entry.key === jumps.marked || undefined}
                  data-depth={entry.depth || undefined}
                  data-tight={isTight(entry, entries[index + 1]) || undefined}
                  data-last={(entry.depth > 0 && entries[index + 1]?.depth === 0) || undefined}
                  aria-level={entry.depth > 0 ? entry.depth + 1 : undefined}
                  className="place"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <EntryView entry={entry} onFold={fold} onToggleRun={toggleRun} />
                </li>
              )
            );
          })}
        </ol>
      </section>
      {loadOlder !== null && (
        <button type="button" className="to-earlier" onClick={loadOlder}>
          Load earlier
        </button>
      )}
      {entries.length === 0 && <p className="nothing-yet">No messages yet.</p>}
      {(!isAtEnd || isPast) && (
        <button type="button" className="to-end" onClick={goToEnd}>
          Go to the end <kbd>Alt+G</kbd>
        </button>
      )}
    </div>
  );
}

/** The same array as before while only the content of the entries changes: the list then keeps its measured heights. */
function useSameKeys(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const [before, setBefore] = useState(entries);
  const isSame =
    before.length === entries.length &&
    before.every(({ type, seq }, index) => entries[index]?.seq === seq && entries[index].type === type);
  if (!isSame) setBefore(entries);
  return isSame ? before : entries;
}

/** Cards and rows that follow each other stand closer than texts do. */
function isTight(entry: TimelineEntry, next: TimelineEntry | undefined): boolean {
  return isStep(entry) && next !== undefined && isStep(next);
}

function isStep(entry: TimelineEntry): boolean {
  return (entry.type === "run" && entry.isOpen) || (entry.type === "item" && entry.item.type === "tool_call");
}

/** As the usual entry is drawn: each one that turns out different is laid out twice, and moves those below it. */
function estimateHeight(entry: TimelineEntry | undefined): number {
  if (entry === undefined || entry.type === "turn_end" || entry.type === "agent") return 34;
  if (entry.type === "question" || entry.type === "sub_agent") return 60;
  if (entry.type === "run") return 48;
  if (entry.item.type === "tool_call") return entry.isRow === true ? 28 : entry.work === null ? 40 : 96;
  const { role, text } = entry.item;
  return Math.min(600, (role === "user" ? 34 : 14) + Math.ceil(text.length / 90) * 20.5);
}
