// Searches every thread as you type, with filters. Enter or a click opens the thread at the match.

import type { SearchHitRow } from "@signalbox/protocol";
import { useAgentLabel, useQuery, useStore } from "@signalbox/react";
import { type KeyboardEvent, useDeferredValue, useEffect, useState } from "react";
import { formatRoute, go, parseRoute, type Route, replaceRoute } from "../../hooks/use-route.ts";
import { recentSearches } from "../../stores/preferences.ts";
import { ago } from "../../text/time.ts";
import { focusField } from "../shared/focus-field.ts";
import { Icon } from "../shared/icon.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { noFilters, type SearchFilters, SearchFiltersRow, searchArgs } from "./search-filters.tsx";

export function SearchPage({ words }: { words: string }) {
  const [typed, setTyped] = useState(words);
  const [filters, setFilters] = useState<SearchFilters>(noFilters);
  const [{ chosen, of }, setChoice] = useState({ chosen: 0, of: "" });
  const wanted = useDeferredValue(typed.trim());
  const found = useQuery("search", wanted === "" ? null : searchArgs(wanted, filters));
  const { rows, error, hasMore, loadMore } = found;
  // Until the answer is there, those of the words before are shown, and Enter opens none of them.
  const isSearching = wanted !== "" && error === null && (found.isStale || typed.trim() !== wanted);
  const labelOf = useAgentLabel();
  const hits = wanted === "" ? [] : (rows ?? []);
  // A new search starts at the first result.
  const selected = of === wanted ? Math.min(chosen, hits.length - 1) : 0;
  const choose = (index: number) => setChoice({ chosen: index, of: wanted });
  useEffect(() => {
    // The person may have gone on to another view before the last letters were searched for.
    if (parseRoute(location.hash).page !== "search") return;
    replaceRoute(wanted === "" ? { page: "search" } : { page: "search", words: wanted });
  }, [wanted]);
  const onKeyDown = (event: KeyboardEvent) => {
    const hit = hits[selected];
    if (event.key === "ArrowDown") choose(Math.min(hits.length - 1, selected + 1));
    else if (event.key === "ArrowUp") choose(Math.max(0, selected - 1));
    else if (event.key === "Enter" && hit !== undefined && !isSearching) {
      remember(wanted);
      go(routeHit(hit, wanted));
    } else return;
    event.preventDefault();
  };
  return (
    <div className="page search-page">
      <h1>Search</h1>
      <search>
        <input
          type="search"
          className="search-field"
          aria-label="Search everything"
          placeholder="Words or “exact phrase”"
          value={typed}
          ref={focusField}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <SearchFiltersRow filters={filters} onChange={setFilters} />
      </search>
      <LoadProblem what="The matches" state={found} />
      <p className="hint" role="status">
        {wanted === ""
          ? "Searches messages, thoughts, tool calls and their output in every thread."
          : isSearching
            ? "Searching …"
            : rows !== null &&
              (hits.length === 0
                ? "No matches."
                : `${hits.length}${hasMore ? "+" : ""} ${hits.length === 1 ? "result" : "results"}`)}
      </p>
      {wanted === "" && <RecentSearches onChoose={setTyped} />}
      <ol className="hits">
        {hits.map((hit, index) => (
          <li key={`${hit.thread_id} ${hit.seq} ${hit.item_id}`}>
            <a
              href={formatRoute(routeHit(hit, wanted))}
              onClick={() => remember(wanted)}
              data-chosen={index === selected || undefined}
            >
              <Icon name={hit.item === "message" ? "read" : hit.kind} />
              <b>{hit.thread_title ?? "Untitled"}</b>
              <time>{ago(hit.ts)}</time>
              <small>
                {labelOf(hit.agent_id)} · {hit.kind}
              </small>
              <Snippet text={hit.snippet} />
            </a>
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" className="more" onClick={loadMore}>
          More
        </button>
      )}
    </div>
  );
}

const maxRecent = 8;

/** A search is kept when one of its results is opened. */
function remember(words: string): void {
  recentSearches.set([words, ...recentSearches.get().filter((each) => each !== words)].slice(0, maxRecent));
}

function RecentSearches({ onChoose }: { onChoose: (words: string) => void }) {
  const recent = useStore(recentSearches);
  if (recent.length === 0) return null;
  return (
    <section className="recent-searches" aria-label="Recent searches">
      <h2>Recent searches</h2>
      {recent.map((words) => (
        <button key={words} type="button" className="button" onClick={() => onChoose(words)}>
          {words}
        </button>
      ))}
      <button type="button" className="quiet" onClick={() => recentSearches.set([])}>
        Clear
      </button>
    </section>
  );
}

function routeHit(hit: SearchHitRow, words: string): Route {
  return { page: "thread", threadId: hit.thread_id, seq: hit.seq, words: words.replaceAll('"', "") };
}

/** The text around a match. The marks are private-use characters, so an agent's text cannot become markup. */
function Snippet({ text }: { text: string }) {
  return (
    <span className="snippet" dir="auto">
      {text.split("\uE000").map((part, index) => {
        const [hit, rest] = index === 0 ? ["", part] : splitMark(part);
        return (
          <span key={index}>
            {hit !== "" && <mark>{hit}</mark>}
            {rest}
          </span>
        );
      })}
    </span>
  );
}

function splitMark(part: string): readonly [string, string] {
  const end = part.indexOf("\uE001");
  return end < 0 ? ["", part] : [part.slice(0, end), part.slice(end + 1)];
}
