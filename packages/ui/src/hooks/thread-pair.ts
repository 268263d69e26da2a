// Two threads in one address: what opening, closing and swapping does to it. `used` is the thread that was used last.
import type { Route, ThreadRoute } from "./use-route.ts";

/** Reduces a route to the part that fits: a second thread is shown only if the window has room for it. */
export function shownRoute(route: Route, hasRoom: boolean): Route {
  if (hasRoom || route.page !== "thread" || route.beside === undefined) return route;
  const { beside: _, ...first } = route;
  return first;
}

/** The thread that keys, list and palette are about. */
export function activeThread(route: Route, used: string | null): string | null {
  if (!("threadId" in route)) return null;
  return route.page === "thread" && route.beside !== undefined && route.beside === used ? used : route.threadId;
}

/** Another thread in the place of the one that was used last. The other one stays. */
export function withThread(route: Route, used: string | null, threadId: string): Route {
  if (route.page !== "thread" || route.beside === undefined) return { page: "thread", threadId };
  const { threadId: first, beside } = route;
  if (threadId === first || threadId === beside) return pair(first, beside);
  return activeThread(route, used) === beside ? pair(first, threadId) : pair(threadId, beside);
}

/** A thread at the right of the one that is open. */
export function addSecondThread(route: Route, threadId: string): Route {
  const first = "threadId" in route ? route.threadId : threadId;
  return first === threadId ? { page: "thread", threadId } : pair(first, threadId);
}

/** Without this thread; the start page when it was the only one. */
export function withoutThread(route: Route, threadId: string): Route {
  if (!("threadId" in route)) return route;
  const beside = route.page === "thread" ? route.beside : undefined;
  if (beside === threadId) return { page: "thread", threadId: route.threadId };
  if (route.threadId !== threadId) return route;
  return beside === undefined ? { page: "start" } : { page: "thread", threadId: beside };
}

/** The two threads the other way round. */
export function swapped(route: Route): Route {
  return route.page === "thread" && route.beside !== undefined ? pair(route.beside, route.threadId) : route;
}

/** Where a view of one thread leads back to: both, if it was one of two. */
export function routeBack(last: Route | null, threadId: string): ThreadRoute {
  if (last?.page !== "thread" || last.beside === undefined) return { page: "thread", threadId };
  const isOneOfTwo = last.threadId === threadId || last.beside === threadId;
  return isOneOfTwo ? pair(last.threadId, last.beside) : { page: "thread", threadId };
}

function pair(threadId: string, beside: string): ThreadRoute {
  return { page: "thread", threadId, beside };
}
