// Shows the steps of an agent's plan from top to bottom, as stations of a line.
import type { PlanEntry } from "@signalbox/protocol";

export function PlanSteps({ entries }: { entries: readonly PlanEntry[] }) {
  return (
    <ol className="plan">
      {entries.map(({ status, content }, index) => (
        <li key={index} data-status={status}>
          <span className="visually-hidden">{status.replace("_", " ")}: </span>
          {content}
        </li>
      ))}
    </ol>
  );
}
