// One section of the settings: title, one sentence, what could not be loaded, content.
import type { QueryState } from "@signalbox/react";
import { createContext, type ReactNode, use, useEffect, useRef } from "react";
import { useRoute } from "../../hooks/use-route.ts";
import { type SettingSection, settingSections } from "../../text/setting-sections.ts";
import { LoadProblem } from "../shared/load-problem.tsx";

interface SectionProps {
  readonly title: SettingSection;
  readonly lead: string;
  /** The query behind it, to show its errors. */
  readonly state?: Pick<QueryState<unknown>, "error" | "refresh" | "rows">;
  readonly children: ReactNode;
}

/** The words that a person looks for in the settings; empty: nothing. */
export const SettingFind = createContext("");

export function Section({ title, lead, state, children }: SectionProps) {
  const frame = useRef<HTMLElement>(null);
  const route = useRoute();
  const isWanted = route.page === "settings" && route.section === title;
  // Before its rows are there, the place below it may be too short to scroll to it.
  const isLoaded = state === undefined || state.rows !== null || state.error !== null;
  useEffect(() => {
    if (!isWanted || !isLoaded) return;
    frame.current?.scrollIntoView();
    frame.current?.focus({ preventScroll: true });
  }, [isWanted, isLoaded]);
  const find = use(SettingFind).trim().toLowerCase();
  const text = `${title} ${settingSections[title]} ${lead}`.toLowerCase();
  return (
    <section hidden={!text.includes(find)} ref={frame} className="setting" aria-label={title} tabIndex={-1}>
      <h2>{title}</h2>
      <p className="lead">{lead}</p>
      {state !== undefined && <LoadProblem what={title} state={state} />}
      {children}
    </section>
  );
}
