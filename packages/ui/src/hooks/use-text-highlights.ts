// Highlights text in an element with the browser's highlight API, without changing the document.
import { type RefObject, useEffect } from "react";

const name = "found";
const maxRanges = 500;
/** Highlighted ranges by element, because two threads may be open. */
const found = new Map<Element, readonly Range[]>();

export function useTextHighlights(container: RefObject<HTMLElement | null>, wanted: readonly string[]): void {
  useEffect(() => {
    const element = container.current;
    if (element === null || wanted.length === 0 || !("highlights" in CSS)) return;
    let frame = 0;
    const update = () => {
      frame = 0;
      found.set(element, findRanges(element, wanted));
      CSS.highlights.set(name, new Highlight(...[...found.values()].flat()));
    };
    const schedule = () => {
      if (frame === 0) frame = requestAnimationFrame(update);
    };
    const observer = new MutationObserver(schedule);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    update();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      found.delete(element);
      CSS.highlights.set(name, new Highlight(...[...found.values()].flat()));
    };
  }, [container, wanted]);
}

/** Scrolls the first match inside `entry` into view, if the entry is taller than the screen. */
export function scrollToMatch(scroller: HTMLElement, entry: Element, wanted: readonly string[]): void {
  const [range] = findRanges(entry, wanted);
  if (range === undefined) return;
  const { top, bottom } = range.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) scroller.scrollTop += top - frame.top - frame.height / 3;
}

/** The single words of a search. */
export const searchTerms = (words: string): readonly string[] => words.split(/\s+/).flatMap(phraseTerm);

/** The text of a find in one thread, as one phrase. */
export function phraseTerm(typed: string): readonly string[] {
  const phrase = typed.trim().toLowerCase();
  return phrase.length > 1 ? [phrase] : [];
}

function findRanges(element: Element, wanted: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < maxRanges; node = walker.nextNode()) {
    const written = node.nodeValue ?? "";
    const lower = written.toLowerCase();
    // A few letters change their length in lower case; then positions would be wrong.
    const text = lower.length === written.length ? lower : written;
    for (const word of wanted) {
      for (
        let at = text.indexOf(word);
        at >= 0 && ranges.length < maxRanges;
        at = text.indexOf(word, at + word.length)
      ) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
