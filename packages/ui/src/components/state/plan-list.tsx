// The agent's plan as a checklist that moves.
import type { PlanEntry } from "@signalbox/protocol";

const marks: Readonly<Record<string, string>> = { completed: "✓", in_progress: "›", pending: "·" };

export function PlanList({ entries }: { entries: readonly PlanEntry[] }) {
  const done = entries.filter((entry) => entry.status === "completed").length;
  return (
    <section>
      <h2>
        Plan <span>{`${done} of ${entries.length}`}</span>
      </h2>
      <ol className="plan">
        {entries.map((entry, index) => (
          <li key={index} data-status={entry.status}>
            <span aria-hidden="true">{marks[entry.status] ?? "·"}</span>
            <span>
              <span className="visually-hidden">{entry.status.replace("_", " ")}: </span>
              {entry.content}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
