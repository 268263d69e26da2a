// Says that something could not be loaded, and why. Without it a part of the page would be missing silently.
import type { QueryState } from "@signalbox/react";

interface LoadProblemProps {
  /** Names the missing thing; the sentence begins with it. */
  readonly what: string;
  readonly state: Pick<QueryState<unknown>, "error" | "refresh">;
}

export function LoadProblem({ what, state: { error, refresh } }: LoadProblemProps) {
  if (error === null) return null;
  return (
    <p role="alert" className="error">
      {what} could not be loaded: {error}{" "}
      <button type="button" className="quiet" onClick={refresh}>
        Try again
      </button>
    </p>
  );
}
