// One section of the settings: title, one sentence, content; or a note that it is not supported.
import type { QueryState } from "@signalbox/react";
import { type ReactNode, useEffect, useRef } from "react";
import { useRoute } from "../../hooks/use-route.ts";
import type { SettingSection } from "../../text/setting-sections.ts";

interface SectionProps {
  readonly title: SettingSection;
  readonly lead: string;
  /** The query behind it, to show its errors. */
  readonly state?: Pick<QueryState<unknown>, "isUnavailable" | "error" | "rows">;
  readonly children: ReactNode;
}

export function Section({ title, lead, state, children }: SectionProps) {
  const frame = useRef<HTMLElement>(null);
  const route = useRoute();
  const isWanted = route.page === "settings" && route.section === title;
  // Before its rows are there, the place below it may be too short to scroll to it.
  const isLoaded = state === undefined || state.rows !== null || state.error !== null || state.isUnavailable;
  useEffect(() => {
    if (!isWanted || !isLoaded) return;
    frame.current?.scrollIntoView();
    frame.current?.focus({ preventScroll: true });
  }, [isWanted, isLoaded]);
  return (
    <section ref={frame} className="setting" aria-label={title} tabIndex={-1}>
      <h2>{title}</h2>
      <p className="lead">{lead}</p>
      {state?.isUnavailable === true && <p className="hint">Not supported.</p>}
      {state?.isUnavailable === false && state.error !== null && (
        <p role="alert" className="error">
          {state.error}
        </p>
      )}
      {state?.isUnavailable !== true && children}
    </section>
  );
}
