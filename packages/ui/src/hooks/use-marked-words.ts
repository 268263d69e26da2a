// Marks words in what is on the screen, without touching the document: the browser's own highlights. Followed while it changes.
import { type RefObject, useEffect } from "react";

const name = "found";
const most = 500;

export function useMarkedWords(container: RefObject<HTMLElement | null>, wanted: readonly string[]): void {
  useEffect(() => {
    const element = container.current;
    if (element === null || wanted.length === 0 || !("highlights" in CSS)) return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(name, new Highlight(...rangesOf(element, wanted)));
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(later);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(name);
    };
  }, [container, wanted]);
}

/** Brings the first of the words inside `place` into sight, when the place is taller than the screen. */
export function showWord(scroller: HTMLElement, place: Element, wanted: readonly string[]): void {
  const [range] = rangesOf(place, wanted);
  if (range === undefined) return;
  const { top, bottom } = range.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) scroller.scrollTop += top - frame.top - frame.height / 3;
}

/** The words of a search, each for itself. */
export const wordsOf = (words: string): readonly string[] => words.split(/\s+/).flatMap(phraseOf);

/** What is looked for in one thread, as it was typed. */
export function phraseOf(typed: string): readonly string[] {
  const phrase = typed.trim().toLowerCase();
  return phrase.length > 1 ? [phrase] : [];
}

function rangesOf(element: Element, wanted: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < most; node = walker.nextNode()) {
    const written = node.nodeValue ?? "";
    const lower = written.toLowerCase();
    // A few letters grow when they are made small; then places would not fit any more.
    const text = lower.length === written.length ? lower : written;
    for (const word of wanted) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < most; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
