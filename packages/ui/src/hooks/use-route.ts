// Where the person is: the fragment of the address, so that reload, back and forward work.
import { useSyncExternalStore } from "react";

export type Route = { readonly page: "start" } | { readonly page: "thread"; readonly threadId: string };

export function useRoute(): Route {
  const hash = useSyncExternalStore(onHashChange, () => location.hash);
  const threadId = /^#\/thread\/(.+)$/.exec(hash)?.[1];
  return threadId === undefined ? { page: "start" } : { page: "thread", threadId: decodeURIComponent(threadId) };
}

export function addressOf(route: Route): string {
  return route.page === "start" ? "#/" : `#/thread/${encodeURIComponent(route.threadId)}`;
}

export function go(route: Route): void {
  location.hash = addressOf(route);
}

function onHashChange(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
