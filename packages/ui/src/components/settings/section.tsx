// One part of the settings: its name, one sentence, and what it holds; or that this host does not offer it.
import type { ReactNode } from "react";
import type { QueryState } from "../../hooks/use-query.ts";

interface Part {
  readonly title: string;
  readonly lead: string;
  /** Where its rows come from, to say when there are none. */
  readonly state?: Pick<QueryState<unknown>, "isUnavailable" | "error" | "rows">;
  readonly children: ReactNode;
}

export function Section({ title, lead, state, children }: Part) {
  return (
    <section className="setting" aria-label={title}>
      <h2>{title}</h2>
      <p className="lead">{lead}</p>
      {state?.isUnavailable === true && <p className="hint">This host does not offer it.</p>}
      {state?.isUnavailable === false && state.error !== null && (
        <p role="alert" className="error">
          {state.error}
        </p>
      )}
      {state?.isUnavailable !== true && children}
    </section>
  );
}
