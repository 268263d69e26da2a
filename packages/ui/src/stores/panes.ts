// Two threads side by side. The one that was used last gets the keys, and the next thread that is opened takes its place. A narrow screen shows
// only the first.
import { Store } from "@signalbox/react";
import { addSecondThread, routeBack, shownRoute, swapped, withoutThread, withThread } from "../hooks/thread-pair.ts";
import { go, parseRoute, type Route, type ThreadRoute } from "../hooks/use-route.ts";
import { sidePanel } from "./preferences.ts";

/** A screen that has room for two threads beside the list. */
export const roomForTwo = "(min-width: 1400px)";
/** The thread that was used last. */
export const lastUsed = new Store<string | null>(null);
/** The thread, or the two, that were shown last. */
export const lastShown = new Store<ThreadRoute | null>(null);
/** The thread whose details cover a part of it: beside another one there is no room for both. */
export const coveringDetails = new Store<string | null>(null);

export function hasRoomForTwo(): boolean {
  return matchMedia(roomForTwo).matches;
}

/** The view that is shown now. */
export function currentRoute(): Route {
  return shownRoute(parseRoute(location.hash), hasRoomForTwo());
}

/** Two threads are shown now. */
export function isPaired(): boolean {
  const route = currentRoute();
  return route.page === "thread" && route.beside !== undefined;
}

export function showThread(threadId: string): void {
  goAndUse(withThread(currentRoute(), lastUsed.get(), threadId), threadId);
}

export function openSecondPane(threadId: string): void {
  goAndUse(addSecondThread(currentRoute(), threadId), threadId);
}

/** The view that *Changes* or the event log of a thread was opened from. */
export function viewOfThread(threadId: string): ThreadRoute {
  return routeBack(lastShown.get(), threadId);
}

/** A thread that is deleted is led back to no more. */
export function forgetThread(threadId: string): void {
  const last = lastShown.get();
  const next = last === null ? null : withoutThread(last, threadId);
  lastShown.set(next?.page === "thread" ? next : null);
}

export function closeThread(threadId: string): void {
  go(withoutThread(currentRoute(), threadId));
}

export function swapThreads(): void {
  go(swapped(currentRoute()));
}

/** Gives the keys to the other of two threads. */
export function goToOther(): void {
  const other = document.querySelector('.pane[data-active="false"]');
  other?.querySelector<HTMLElement>("textarea[data-prompt], .timeline")?.focus();
}

export function toggleDetails(threadId: string): void {
  if (isPaired()) coveringDetails.set(coveringDetails.get() === threadId ? null : threadId);
  else sidePanel.set(!sidePanel.get());
}

function goAndUse(route: Route, threadId: string): void {
  // Keystrokes must not reach a thread whose pane is no longer active.
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.closest(".pane") !== null) focused.blur();
  lastUsed.set(threadId);
  go(route);
}
