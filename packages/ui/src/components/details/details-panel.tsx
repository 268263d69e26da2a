// The Details panel at the right: plan, changed files, access, context. How the agent runs is under Diagnostics. On a narrow screen the panel
// covers the thread.

import { type PlanEntry, type ThreadSandbox, type ThreadStatus, type ThreadView } from "@signalbox/protocol";
import { bytes, count, money } from "@signalbox/protocol/sizes";
import { useQuery } from "@signalbox/react";
import { useEffect } from "react";
import { usePartName } from "../../hooks/pane.ts";
import { useNow } from "../../hooks/use-now.ts";
import { useThrottled } from "../../hooks/use-throttled.ts";
import { toggleDetails } from "../../stores/panes.ts";
import { lastName } from "../../text/paths.ts";
import { BudgetBars } from "../shared/budget-bars.tsx";
import { Fold } from "../shared/fold.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { PlanSteps } from "../shared/plan-steps.tsx";
import { readUsage } from "../thread/read-usage.ts";
import { isAtWork } from "../threads/thread-actions.ts";
import { Port, usePorts } from "../tool-call/open-ports.tsx";
import { describeAccess } from "./access.ts";
import { AgentSection, useAgentActivity } from "./agent-activity.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { McpServer } from "./mcp-server.tsx";

export function DetailsPanel({ view }: { view: ThreadView }) {
  const timeline = useThrottled(view.timeline);
  return (
    <aside className="details" aria-label={usePartName("Details")} tabIndex={0}>
      <button
        type="button"
        className="quiet details-close"
        aria-label="Close"
        onClick={() => toggleDetails(view.thread.id)}
      >
        ×
      </button>
      {view.plan !== null && view.plan.entries.length > 0 && <Plan entries={view.plan.entries} />}
      <ChangedFiles thread={view.thread} timeline={timeline} />
      <Access sandbox={view.thread.sandbox} />
      <Servers threadId={view.thread.id} />
      <Context view={view} />
      <BudgetBars threadId={view.thread.id} changes={view.thread.status} />
      <RunningAgent view={view} />
    </aside>
  );
}

/** Its MCP servers, since a person may have to log in to one; the rest helps only to find a fault. */
function RunningAgent({ view: { thread } }: { view: ThreadView }) {
  const activity = useAgentActivity(thread.id);
  const now = useNow(activity !== null);
  const servers = activity?.mcp_servers ?? [];
  return (
    <>
      {servers.length > 0 && (
        <section>
          <h2>MCP servers</h2>
          {servers.map((server) => (
            <McpServer key={server.name} server={server} threadId={thread.id} now={now} />
          ))}
        </section>
      )}
      <Fold summary="Diagnostics">
        {activity !== null && <AgentSection activity={activity} now={now} />}
        <Processes threadId={thread.id} status={thread.status} />
        {thread.sandbox !== null && <p className="hint">{thread.sandbox.detail}</p>}
      </Fold>
    </>
  );
}

function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const done = entries.filter((entry) => entry.status === "completed").length;
  return (
    <section>
      <h2>
        Plan <span>{`${done} of ${entries.length}`}</span>
      </h2>
      <PlanSteps entries={entries} />
    </section>
  );
}

/** How full the model's context is, and the thread's cost so far, where the agent reports them. */
function Context({ view }: { view: ThreadView }) {
  const { used, size, part, cost, isPriceUnknown } = readUsage(view.state);
  if (used === null && cost === null && !isPriceUnknown) return null;
  return (
    <section>
      <h2>Context</h2>
      {part !== null && (
        <div
          className="gauge"
          role="meter"
          aria-label="Context used"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(part * 100)}
          data-level={part > 0.9 ? "full" : part > 0.75 ? "high" : "fine"}
        >
          <i style={{ width: `${part * 100}%` }} />
        </div>
      )}
      <p className="pair">
        <span>
          {used !== null && (size === null ? `${count(used)} tokens` : `${count(used)} of ${count(size)} tokens`)}
        </span>
        <b
          title={
            isPriceUnknown
              ? "The price of a model that answered is not known. config.json can have it: providers.NAME.models."
              : undefined
          }
        >
          {isPriceUnknown ? "cost not known" : cost !== null && cost.amount > 0 && money(cost.amount, cost.currency)}
        </b>
      </p>
    </section>
  );
}

/** The processes of this thread, refreshed while the thread is busy and when it stops. */
function Processes({ threadId, status }: { threadId: string; status: ThreadStatus }) {
  const state = useQuery("processes.list", { thread_id: threadId });
  const { rows, refresh } = state;
  const isBusy = isAtWork(status);
  useEffect(() => {
    refresh();
    if (!isBusy) return;
    const timer = setInterval(refresh, 4000);
    return () => clearInterval(timer);
  }, [isBusy, refresh]);
  const own = (rows ?? []).filter((row) => row.thread_id === threadId);
  if (own.length === 0) return <LoadProblem what="The processes" state={state} />;
  return (
    <section>
      <h2>Processes</h2>
      <LoadProblem what="The processes" state={state} />
      {own.map((row) => (
        <p className="pair" key={row.pid}>
          <span title={row.command}>{row.command.split(" ").map(lastName).join(" ")}</span>
          <b>{row.memory_bytes === null ? "running" : bytes(row.memory_bytes)}</b>
        </p>
      ))}
    </section>
  );
}

/** Lists the servers on this thread's loopback, and which of them the browser can open. */
function Servers({ threadId }: { threadId: string }) {
  const { ports, refresh, error } = usePorts(threadId);
  if (ports.length === 0) return <LoadProblem what="The servers" state={{ error, refresh }} />;
  return (
    <section aria-label="Servers">
      <h2>Servers</h2>
      {ports.map((row) => (
        <Port key={row.port} row={row} threadId={threadId} onChange={refresh} />
      ))}
    </section>
  );
}

/** Who limits the agent, in four lines. */
function Access({ sandbox }: { sandbox: ThreadSandbox | null }) {
  if (sandbox === null) return null;
  return (
    <section aria-label="Access">
      <h2>Access</h2>
      {describeAccess(sandbox).map(([name, value]) => (
        <p className="pair access-fact" key={name}>
          <span>{name}</span>
          <b data-signal={name === "Sandbox" && sandbox.by === "none" ? "stop" : undefined}>{value}</b>
        </p>
      ))}
    </section>
  );
}
