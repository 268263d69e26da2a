// The state of things at the right: plan, context, files, pace, processes, sandbox. On a narrow screen it slides over the thread.
import type { ThreadView } from "@signalbox/protocol";
import { useThrottled } from "../../hooks/use-throttled.ts";
import { sidePanel } from "../../stores/preferences.ts";
import { ContextGauge } from "./context-gauge.tsx";
import { FilesTouched } from "./files-touched.tsx";
import { Pace } from "./pace.tsx";
import { PlanList } from "./plan-list.tsx";
import { ProcessList } from "./process-list.tsx";
import { SandboxState } from "./sandbox-state.tsx";

export function StatePanel({ view }: { view: ThreadView }) {
  const timeline = useThrottled(view.timeline);
  return (
    <aside className="side" aria-label="State of things" tabIndex={0}>
      <button type="button" className="quiet side-close" aria-label="Close" onClick={() => sidePanel.set(false)}>
        ×
      </button>
      {view.plan !== null && view.plan.entries.length > 0 && <PlanList entries={view.plan.entries} />}
      <ContextGauge view={view} />
      <FilesTouched timeline={timeline} folder={view.thread.cwd} />
      <Pace timeline={timeline} />
      <ProcessList threadId={view.thread.id} status={view.thread.status} />
      <SandboxState />
    </aside>
  );
}
