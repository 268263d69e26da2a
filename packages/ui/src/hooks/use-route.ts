// The current view, from the fragment of the address, so that reload, back and forward work.
import { useMemo, useSyncExternalStore } from "react";

export type Route =
  | { readonly page: "start" }
  /** The same view on a wide screen; a narrow one shows only the list at the start, and only the form here. */
  | { readonly page: "new" }
  /** `seq` and `words`: open at this item, with these words highlighted. */
  | { readonly page: "thread"; readonly threadId: string; readonly seq?: number; readonly words?: string }
  | { readonly page: "events"; readonly threadId: string }
  | { readonly page: "search"; readonly words?: string }
  | { readonly page: "statistics" }
  | { readonly page: "settings" };

export function useRoute(): Route {
  const hash = useSyncExternalStore(onHashChange, () => location.hash);
  return useMemo(() => routeOf(hash), [hash]);
}

export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, id, part] = path.split("/");
  const given = new URLSearchParams(query);
  const words = given.get("words") ?? undefined;
  const threadId = decode(id);
  switch (name) {
    case "thread": {
      if (threadId === null) return { page: "start" };
      if (part === "events") return { page: "events", threadId };
      const seq = Number(given.get("at") ?? Number.NaN);
      return { page: "thread", threadId, ...(Number.isSafeInteger(seq) ? { seq } : {}), ...(words ? { words } : {}) };
    }
    case "search":
      return words === undefined ? { page: "search" } : { page: "search", words };
    case "new":
    case "statistics":
    case "settings":
      return { page: name };
    default:
      return { page: "start" };
  }
}

export function addressOf(route: Route): string {
  switch (route.page) {
    case "start":
      return "#/";
    case "thread": {
      const query = new URLSearchParams();
      if (route.seq !== undefined) query.set("at", String(route.seq));
      if (route.words !== undefined) query.set("words", route.words);
      return `#/thread/${encodeURIComponent(route.threadId)}${query.size === 0 ? "" : `?${query}`}`;
    }
    case "events":
      return `#/thread/${encodeURIComponent(route.threadId)}/events`;
    case "search":
      return route.words === undefined ? "#/search" : `#/search?${new URLSearchParams({ words: route.words })}`;
    case "new":
    case "statistics":
    case "settings":
      return `#/${route.page}`;
  }
}

export function go(route: Route): void {
  location.hash = addressOf(route);
  // The browser reports it later. By then the next key would have gone to the old view.
  reportRoute();
}

/** Changes the address without a new history entry. */
export function replaceRoute(route: Route): void {
  history.replaceState(null, "", addressOf(route));
  reportRoute();
}

function reportRoute(): void {
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function decode(text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function onHashChange(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
