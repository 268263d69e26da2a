// Every agent below the first prompt: those that are ready, what the others lack, and one button for it. A click on a ready one chooses it.
import type { AgentRow } from "@signalbox/protocol";
import { useState } from "react";
import { formatRoute } from "../../hooks/use-route.ts";
import { AgentSetup } from "../agents/agent-setup.tsx";
import { describeModel, describePrice } from "../agents/describe-model.ts";
import { byReadiness } from "./agent-field.tsx";

interface AgentListProps {
  readonly agents: readonly AgentRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onChanged: () => void;
  readonly onDemo: () => void;
}

/** Of those that are not installed; a link shows the others. */
const maxMissing = 5;

export default function AgentList({ agents, chosen, onChoose, onChanged, onDemo }: AgentListProps) {
  const [showsAll, setShowsAll] = useState(false);
  const ordered = byReadiness(agents);
  const ready = ordered.filter(({ readiness }) => readiness === "ready");
  const others = ordered.filter(({ readiness }) => readiness !== "ready" && readiness !== "not_installed");
  const missing = ordered.filter(({ readiness }) => readiness === "not_installed");
  const shown = showsAll ? missing : missing.slice(0, maxMissing);
  const hidden = missing.length - shown.length;
  const rows = (group: readonly AgentRow[]) => (
    <ul className="rows agents">
      {group.map((agent) => (
        <li key={agent.id} data-chosen={agent.id === chosen || undefined}>
          <span className="lamp" data-status={chooseLamp(agent)} />
          {agent.readiness === "ready" ? (
            <button type="button" className="agent-name" onClick={() => onChoose(agent.id)}>
              {agent.label}
            </button>
          ) : (
            <b className="agent-name">{agent.label}</b>
          )}
          <small className="agent-version">{agent.version}</small>
          <small className="agent-reason">{describeReadiness(agent)}</small>
          {agent.demo === true && (
            <span className="row-acts">
              <button type="button" className="button" onClick={onDemo}>
                Try the demo
              </button>
            </span>
          )}
          <AgentSetup agent={agent} onChanged={onChanged} />
        </li>
      ))}
    </ul>
  );
  return (
    <section className="agent-list" aria-label="Agents">
      <h2>Ready</h2>
      {rows(ready)}
      {others.length > 0 && <h2>Needs setup</h2>}
      {rows(others)}
      {missing.length > 0 && <h2>Not installed</h2>}
      {rows(shown)}
      <p className="hint">
        {hidden > 0 && (
          <>
            <button type="button" className="link" onClick={() => setShowsAll(true)}>
              {hidden} more
            </button>
            {" · "}
          </>
        )}
        <a href={formatRoute({ page: "settings" })}>All settings of agents</a>
      </p>
    </section>
  );
}

function chooseLamp({ demo, readiness }: AgentRow): string {
  if (demo === true) return "demo";
  if (readiness === "ready") return "idle";
  if (readiness === "broken") return "failed";
  return readiness === "needs_login" ? "needs-setup" : "missing";
}

/** In one line; the whole reason is in the title of the row that needs it. */
function describeReadiness({ id, demo, readiness, reason, login, description, model }: AgentRow): string {
  if (demo === true) return "a script, not a model: no key, no network";
  if (readiness === "ready")
    return [describeModel(model) || "ready", describePrice(model)].filter((part) => part !== "").join(", ");
  if (readiness === "not_installed") return description ?? "";
  // The four ways to a model are shown above.
  if (id === "signalbox" && reason === login) return "no model yet";
  return reason ?? "";
}
