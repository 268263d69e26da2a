// The current view, from the fragment of the address, so that reload, back and forward work.
import { useMemo, useSyncExternalStore } from "react";
import { isSettingSection, type SettingSection } from "../text/setting-sections.ts";

export type Route =
  | { readonly page: "start" }
  /** The same view on a wide screen; a narrow one shows only the list at the start, and only the form here. */
  | { readonly page: "new"; readonly folder?: string }
  | ThreadRoute
  | { readonly page: "events"; readonly threadId: string }
  | ChangesRoute
  | { readonly page: "search"; readonly words?: string }
  | { readonly page: "statistics" }
  | ToolCallsRoute
  | { readonly page: "settings"; readonly section?: SettingSection };

/** `beside`: another thread at its right. `seq` and `words`: open at this item, with these words highlighted. */
export interface ThreadRoute {
  readonly page: "thread";
  readonly threadId: string;
  readonly beside?: string;
  readonly seq?: number;
  readonly words?: string;
}

/** Of one turn, or of all; open at this file. The line is for an editor. */
interface ChangesRoute {
  readonly page: "changes";
  readonly threadId: string;
  readonly turnId?: string;
  readonly path?: string;
  readonly line?: number;
}

/** The tool calls of all threads. What is not set is not filtered by. */
export interface ToolCallsRoute {
  readonly page: "tool-calls";
  readonly tool?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly agent?: string;
  readonly folder?: string;
  readonly days?: number;
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(onAddressChange, () => location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

const toolCallFilters = ["tool", "kind", "status", "agent", "folder"] as const;

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, id, part] = path.split("/");
  const given = new URLSearchParams(query);
  const words = given.get("words") ?? undefined;
  const threadId = decode(id);
  switch (name) {
    case "thread": {
      if (threadId === null) return { page: "start" };
      if (part === "events") return { page: "events", threadId };
      if (part === "changes") {
        const [turnId, file, line] = [given.get("turn"), given.get("file"), Number(given.get("line") ?? 0)];
        return {
          page: "changes",
          threadId,
          ...(turnId ? { turnId } : {}),
          ...(file ? { path: file } : {}),
          ...(Number.isSafeInteger(line) && line > 0 ? { line } : {}),
        };
      }
      const seq = Number(given.get("at") ?? Number.NaN);
      const beside = given.get("beside");
      return {
        page: "thread",
        threadId,
        ...(beside && beside !== threadId ? { beside } : {}),
        ...(Number.isSafeInteger(seq) ? { seq } : {}),
        ...(words ? { words } : {}),
      };
    }
    case "search":
      return words === undefined ? { page: "search" } : { page: "search", words };
    case "tool-calls": {
      const days = Number(given.get("days") ?? 0);
      const filters = toolCallFilters.flatMap((filter) => {
        const value = given.get(filter) ?? "";
        return value === "" ? [] : [[filter, value]];
      });
      return { page: name, ...Object.fromEntries(filters), ...(days > 0 ? { days } : {}) };
    }
    case "new": {
      const folder = given.get("folder") ?? "";
      return folder === "" ? { page: name } : { page: name, folder };
    }
    case "settings": {
      const section = given.get("section");
      return isSettingSection(section) ? { page: name, section } : { page: name };
    }
    case "statistics":
      return { page: name };
    default:
      return { page: "start" };
  }
}

export function formatRoute(route: Route): string {
  switch (route.page) {
    case "start":
      return "#/";
    case "thread": {
      const query = new URLSearchParams();
      if (route.beside !== undefined) query.set("beside", route.beside);
      if (route.seq !== undefined) query.set("at", String(route.seq));
      if (route.words !== undefined) query.set("words", route.words);
      return `#/thread/${encodeURIComponent(route.threadId)}${query.size === 0 ? "" : `?${query}`}`;
    }
    case "events":
      return `#/thread/${encodeURIComponent(route.threadId)}/events`;
    case "changes": {
      const query = new URLSearchParams();
      if (route.turnId !== undefined) query.set("turn", route.turnId);
      if (route.path !== undefined) query.set("file", route.path);
      if (route.line !== undefined) query.set("line", String(route.line));
      return `#/thread/${encodeURIComponent(route.threadId)}/changes${query.size === 0 ? "" : `?${query}`}`;
    }
    case "search":
      return route.words === undefined ? "#/search" : `#/search?${new URLSearchParams({ words: route.words })}`;
    case "tool-calls": {
      const query = new URLSearchParams();
      for (const filter of toolCallFilters) if ((route[filter] ?? "") !== "") query.set(filter, route[filter] ?? "");
      if (route.days !== undefined && route.days > 0) query.set("days", String(route.days));
      return `#/tool-calls${query.size === 0 ? "" : `?${query}`}`;
    }
    case "new":
      return route.folder === undefined ? "#/new" : `#/new?${new URLSearchParams({ folder: route.folder })}`;
    case "settings":
      return route.section === undefined
        ? "#/settings"
        : `#/settings?${new URLSearchParams({ section: route.section })}`;
    case "statistics":
      return "#/statistics";
  }
}

export function go(route: Route): void {
  location.hash = formatRoute(route);
  // The browser reports it later. By then the next key would have gone to the old view.
  reportRoute();
}

/** Changes the address without a new history entry. */
export function replaceRoute(route: Route): void {
  history.replaceState(null, "", formatRoute(route));
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

/** `popstate` comes with the click on a link, `hashchange` some time after it: until then, keys would go to the old view. */
export const addressEvents = ["popstate", "hashchange"] as const;

function onAddressChange(listener: () => void): () => void {
  for (const name of addressEvents) addEventListener(name, listener);
  return () => {
    for (const name of addressEvents) removeEventListener(name, listener);
  };
}
