// Agents: which are installed and work, what to do about those that do not, and a test of each.
import type { AgentRow, AgentTestRow } from "@signalbox/protocol";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useProgress } from "../../hooks/use-progress.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { CommandLine } from "../shared/command-line.tsx";
import { AgentLogIn } from "./agent-log-in.tsx";
import { AgentSessions } from "./agent-sessions.tsx";
import { Section } from "./section.tsx";

const words: Readonly<Record<string, string>> = {
  ready: "ready",
  not_installed: "not installed",
  needs_login: "log in first",
  broken: "does not work",
};

export function AgentSettings() {
  const agents = useQuery("agents.list", { versions: true });
  const [missing, here] = partition(agents.rows ?? []);
  return (
    <Section
      title="Agents"
      lead="Every coding agent that speaks ACP. Your own go into config.json under agents."
      state={agents}
    >
      <ul className="rows">
        {here.map((agent) => (
          <Agent key={agent.id} agent={agent} onTested={agents.refresh} />
        ))}
      </ul>
      {missing.length > 0 && (
        <details className="missing">
          <summary>{missing.length} more that are not installed</summary>
          <ul className="rows">
            {missing.map((agent) => (
              <Agent key={agent.id} agent={agent} onTested={agents.refresh} />
            ))}
          </ul>
        </details>
      )}
    </Section>
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
  const test = async () => {
    await attempt(async () => {
      const answer = await connection.request({ control: "agents.test", agent_id: agent.id });
      if (answer.type === "tinyvex.query_result" && answer.name === "agents.test") setTested(answer.rows[0] ?? null);
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
        {agent.version ?? ""} {words[agent.readiness] ?? agent.readiness}
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
      {agent.readiness === "not_installed" && typeof agent.install === "string" && (
        <CommandLine words={agent.install} />
      )}
      {agent.readiness === "needs_login" && typeof agent.login === "string" && <p className="hint">{agent.login}</p>}
      {agent.readiness === "needs_login" && tested !== null && (
        <AgentLogIn tested={tested} onDone={() => void test()} />
      )}
      {showsSessions && <AgentSessions agentId={agent.id} />}
      {progress !== null && (
        <p className="hint" role="status">
          {progress.message}
        </p>
      )}
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </li>
  );
}
