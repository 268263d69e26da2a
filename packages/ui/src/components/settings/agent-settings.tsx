// The Agents section: which agents are installed and ready, how to install or log in to the others, and a test of each.

import type { AgentRow, AgentTestRow, SetupRow } from "@signalbox/protocol";
import { type QueryState, useQuery } from "@signalbox/react";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useProgress } from "../../hooks/use-progress.ts";
import { AgentSetup } from "../agents/agent-setup.tsx";
import { readinessLabels } from "../agents/readiness-labels.ts";
import { CommandLine } from "../shared/command-line.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { Fold } from "../shared/fold.tsx";
import { AgentSessions } from "./agent-sessions.tsx";
import { OwnAgents } from "./own-agents.tsx";
import { RefreshedList } from "./refreshed-list.tsx";
import { Section } from "./section.tsx";

export function AgentSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const agents = useQuery("agents.list", { versions: true });
  const [missing, installed] = partition(agents.rows ?? []);
  return (
    <Section title="Agents" lead="The coding agents that Signalbox can start." state={agents}>
      <ul className="rows">
        {installed.map((agent) => (
          <Agent key={agent.id} agent={agent} onTested={agents.refresh} />
        ))}
      </ul>
      {missing.length > 0 && (
        <Fold className="missing" summary={`${missing.length} more, not installed`}>
          <ul className="rows">
            {missing.map((agent) => (
              <Agent key={agent.id} agent={agent} onTested={agents.refresh} />
            ))}
          </ul>
        </Fold>
      )}
      <RegistryList
        setup={setup}
        onRefreshed={() => {
          setup.refresh();
          agents.refresh();
        }}
      />
      <OwnAgents onChanged={agents.refresh} />
    </Section>
  );
}

/** The list of the ACP registry that the agents without a row of our own come from. */
function RegistryList({ setup, onRefreshed }: { setup: QueryState<SetupRow>; onRefreshed: () => void }) {
  const registry = setup.rows?.[0]?.registry;
  if (registry === undefined) return null;
  return (
    <RefreshedList
      text={`The list of the ACP registry is of ${registry.as_of} and has ${registry.listed} agents.`}
      action="Refresh the list"
      request="registry.refresh"
      url={registry.url}
      onRefreshed={onRefreshed}
    />
  );
}

function partition(agents: readonly AgentRow[]): readonly [readonly AgentRow[], readonly AgentRow[]] {
  return [
    agents.filter((agent) => agent.readiness === "not_installed"),
    agents.filter((agent) => agent.readiness !== "not_installed"),
  ];
}

function Agent({ agent, onTested }: { agent: AgentRow; onTested: () => void }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const progress = useProgress("agents.test", agent.id);
  const [tested, setTested] = useState<AgentTestRow | null>(null);
  const [showsSessions, setShowsSessions] = useState(false);
  const test = async (name: "agents.test" | "agents.log_out" = "agents.test") => {
    await attempt(async () => {
      const { test: result } = await connection.request(name, { agent_id: agent.id });
      setTested(result);
    });
    onTested();
  };
  return (
    <li>
      <span
        className="lamp"
        data-status={agent.readiness === "ready" ? "idle" : agent.readiness === "broken" ? "failed" : "closed"}
      />
      <b>{agent.label}</b>
      <small>
        {agent.version ?? ""} {readinessLabels[agent.readiness]}
      </small>
      <span className="row-acts">
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() => void test()}
          aria-label={`Test ${agent.label}`}
        >
          {isBusy ? "Testing …" : "Test"}
        </button>
        {tested?.can_log_out === true && agent.readiness === "ready" && (
          <button
            type="button"
            className="button"
            disabled={isBusy}
            aria-label={`Log out of ${agent.label}`}
            onClick={() => void test("agents.log_out")}
          >
            Log out
          </button>
        )}
        {agent.readiness === "ready" && (
          <button
            type="button"
            className="button"
            aria-expanded={showsSessions}
            aria-label={`Sessions of ${agent.label}`}
            onClick={() => setShowsSessions(!showsSessions)}
          >
            Sessions
          </button>
        )}
      </span>
      {agent.reason !== null && !agent.reason.includes(agent.install ?? "\n") && <p className="hint">{agent.reason}</p>}
      {typeof agent.description === "string" && <p className="hint">{agent.description}</p>}
      {agent.readiness === "not_installed" && typeof agent.install === "string" && (
        <CommandLine command={agent.install} />
      )}
      <AgentSetup agent={agent} onChanged={onTested} />
      {showsSessions && <AgentSessions agentId={agent.id} />}
      {progress !== null && (
        <p className="hint" role="status">
          {progress.message}
        </p>
      )}
      <ErrorText error={error} />
    </li>
  );
}
