// One section of the settings: title, one sentence, content; or a note that it is not supported.
import type { QueryState } from "@signalbox/react";
import type { ReactNode } from "react";

interface SectionProps {
  readonly title: string;
  readonly lead: string;
  /** The query behind it, to show its errors. */
  readonly state?: Pick<QueryState<unknown>, "isUnavailable" | "error" | "rows">;
  readonly children: ReactNode;
}

export function Section({ title, lead, state, children }: SectionProps) {
  return (
    <section className="setting" aria-label={title}>
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
