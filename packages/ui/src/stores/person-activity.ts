// Knows when the person last typed and when the view last changed. A person who is typing answers no question by a letter, and the page does not take
// a person away who is doing something else.
import { go, type Route } from "../hooks/use-route.ts";
import { showNotice } from "./notices.ts";

/** A person who types a sentence pauses for less. */
export const pauseMs = 1000;

let typedAt = Number.NEGATIVE_INFINITY;
/** The key before the one that is being handled. */
let typedBefore = Number.NEGATIVE_INFINITY;
let viewChangedAt = Number.NEGATIVE_INFINITY;
/** Counts keys and changes of view. */
let steps = 0;

addEventListener(
  "keydown",
  ({ key, ctrlKey, metaKey, altKey }) => {
    if (key.length !== 1 || ctrlKey || metaKey || altKey) return;
    typedBefore = typedAt;
    typedAt = performance.now();
    steps++;
  },
  { capture: true },
);
for (const name of ["popstate", "hashchange"] as const)
  addEventListener(name, () => {
    viewChangedAt = performance.now();
    steps++;
  });

/** Whether the letter that was just pressed stands alone: nothing was typed and no view changed shortly before it. */
export function isAfterPause(): boolean {
  return performance.now() - Math.max(typedBefore, viewChangedAt) >= pauseMs;
}

/**
 * Gives a function that goes to a view later, when something is ready. It goes there only if the person has neither typed nor gone elsewhere since;
 * otherwise a notice says that it is ready.
 */
export function goWhenReady(): (route: Route, notice: string) => void {
  const before = steps;
  return (route, notice) => {
    if (steps === before) go(route);
    else showNotice(notice, undefined, false);
  };
}
