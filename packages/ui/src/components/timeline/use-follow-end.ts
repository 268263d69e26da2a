// Keeps the end of the timeline in view while the person is at the end. Scrolling up, jumping to an entry and unfolding a sub-agent stop it.
import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

interface ScrollPosition {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtual: Virtualizer<HTMLElement, HTMLLIElement>;
  readonly startsAtEnd: boolean;
  /** Older items are shown, so there is no end to follow. */
  readonly isPast: boolean;
}

interface FollowEnd {
  readonly isAtEnd: boolean;
  readonly onScroll: (box: HTMLElement) => void;
  readonly stopFollowing: () => void;
}

const endDistance = 80;

export function useFollowEnd({ scroller, virtual, startsAtEnd, isPast }: ScrollPosition): FollowEnd {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef({ end: startsAtEnd, top: 0, height: 0 });
  const onScroll = useCallback((box: HTMLElement) => {
    const { end, top, height } = follows.current;
    const isAtEndNow = box.scrollHeight - box.scrollTop - box.clientHeight < endDistance;
    const wentUp = box.scrollTop < top && box.clientHeight === height;
    follows.current = { end: isAtEndNow || (end && !wentUp), top: box.scrollTop, height: box.clientHeight };
    setAtEnd(isAtEndNow);
  }, []);
  const stopFollowing = useCallback(() => {
    follows.current = { ...follows.current, end: false };
  }, []);
  // A question or a longer prompt makes the timeline smaller: its end stays in view. Its content changes its height whenever an entry grows.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const observer = new ResizeObserver((changes) => {
      if (follows.current.end && !isPast && changes.some(({ target }) => target === box)) {
        // Not `scrollTop`: the list would not know of it yet, and would correct an entry's growth from where it was before.
        virtual.scrollToEnd();
      }
      onScroll(box);
    });
    observer.observe(box);
    if (box.firstElementChild !== null) observer.observe(box.firstElementChild);
    return () => observer.disconnect();
  }, [scroller, virtual, isPast, onScroll]);
  return { isAtEnd, onScroll, stopFollowing };
}
