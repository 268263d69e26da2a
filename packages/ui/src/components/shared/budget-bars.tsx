// Spending against the budgets of a thread and of today, as bars. The host counts both.

import { money } from "@signalbox/protocol/sizes";
import { useQuery } from "@signalbox/react";
import { useEffect, useRef } from "react";
import { LoadProblem } from "./load-problem.tsx";

const labels = { session: "Budget of this session", day: "Budget of today" };

interface BudgetBarsProps {
  readonly threadId: string | null;
  /** Asked for again when it is another one. */
  readonly changes?: string;
}

export function BudgetBars({ threadId, changes = "" }: BudgetBarsProps) {
  const state = useQuery("budgets.get", { thread_id: threadId });
  const { rows, refresh } = state;
  const asked = useRef(changes);
  useEffect(() => {
    if (asked.current === changes) return;
    asked.current = changes;
    refresh();
  }, [changes, refresh]);
  const budgets = (rows ?? []).filter((row) => row.limit !== null);
  if (budgets.length === 0) return <LoadProblem what="The budgets" state={state} />;
  return (
    <section className="budgets">
      <LoadProblem what="The budgets" state={state} />
      {budgets.map(({ scope, spent, limit }) => {
        const part = limit === null ? 0 : Math.min(1, spent / limit);
        return (
          <div key={scope}>
            <p className="pair" title={scope === "day" ? "Of the turns that ended today" : undefined}>
              <span>{labels[scope]}</span>
              <b>
                {money(spent, "USD")} of {money(limit ?? 0, "USD")}
              </b>
            </p>
            <div
              className="gauge"
              role="meter"
              aria-label={labels[scope]}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round(part * 100)}
              data-level={part >= 1 ? "full" : part > 0.75 ? "high" : "fine"}
            >
              <i style={{ width: `${part * 100}%` }} />
            </div>
          </div>
        );
      })}
    </section>
  );
}
