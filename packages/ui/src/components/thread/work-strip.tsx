// The strip above the composer: what the agent does now, and its plan as a line of stations. A press on the plan shows its steps.
import type { PlanEntry, ThreadView } from "@signalbox/protocol";
import { useId, useState } from "react";
import { useNow } from "../../hooks/use-now.ts";
import { useLayer } from "../../stores/layers.ts";
import { PlanSteps } from "../shared/plan-steps.tsx";
import { describeActivity, describeSilence, formatElapsed } from "./activity.ts";
import { readStations } from "./plan-stations.ts";

/** More stations than this do not fit beside the text. */
const maxStations = 8;

export function WorkStrip({ view }: { view: ThreadView }) {
  const isRunning = view.thread.status === "running";
  const entries = view.plan?.entries ?? [];
  const hasPlan = entries.some(({ status }) => status !== "completed") || (isRunning && entries.length > 0);
  if (!isRunning && !hasPlan) return null;
  return (
    <div className="work-strip">
      {isRunning && <Now view={view} />}
      {hasPlan && <PlanChip entries={entries} />}
    </div>
  );
}

function Now({ view }: { view: ThreadView }) {
  const now = useNow(true);
  const { label, since, silentSince } = describeActivity(view);
  const silence = describeSilence(silentSince, now);
  return (
    <p className="working">
      <span className="pulse" aria-hidden="true" />
      <span className="working-label" title={silence ?? undefined}>
        {silence ?? label}
      </span>{" "}
      {silence === null && <b>{formatElapsed(now - since)}</b>}
    </p>
  );
}

function PlanChip({ entries }: { entries: readonly PlanEntry[] }) {
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  useLayer(isOpen, () => setOpen(false));
  const { stations, step, position } = readStations(entries);
  return (
    <>
      {isOpen && (
        <section id={listId} className="plan-list" aria-label="Plan">
          <PlanSteps entries={entries} />
        </section>
      )}
      <button
        type="button"
        className="plan-chip"
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setOpen(!isOpen)}
      >
        {stations.length <= maxStations && (
          <span className="stations" aria-hidden="true">
            {stations.map((station, index) => (
              <i key={index} data-station={station} />
            ))}
          </span>
        )}
        <span className="visually-hidden">Plan: </span>
        <b>{step ?? "All steps done"}</b> <span>{position}</span>
      </button>
    </>
  );
}
