// The Agents section: which agents are installed and ready, how to install or log in to the others, and a test of each.
import { type AgentRow, type AgentTestRow, isJsonObject } from "@signalbox/protocol";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useProgress } from "../../hooks/use-progress.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { CommandLine } from "../shared/command-line.tsx";
import { AgentSessions } from "./agent-sessions.tsx";
import { Section } from "./section.tsx";

const readinessLabels: Readonly<Record<string, string>> = {
  ready: "ready",
  not_installed: "not installed",
  needs_login: "needs login",
  broken: "not working",
};

export function AgentSettings() {
  const agents = useQuery("agents.list", { versions: true });
  const [missing, installed] = partition(agents.rows ?? []);
  return (
    <Section
      title="Agents"
      lead="Coding agents that speak ACP. Add your own in config.json under agents."
      state={agents}
    >
      <ul className="rows">
        {installed.map((agent) => (
          <Agent key={agent.id} agent={agent} onTested={agents.refresh} />
        ))}
      </ul>
      {missing.length > 0 && (
        <details className="missing">
          <summary>{missing.length} more, not installed</summary>
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
  const test = async (control: "agents.test" | "agents.log_out" = "agents.test") => {
    await attempt(async () => {
      const answer = await connection.request({ control, agent_id: agent.id });
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
        {agent.version ?? ""} {readinessLabels[agent.readiness] ?? agent.readiness}
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
      {agent.readiness === "not_installed" && typeof agent.install === "string" && (
        <CommandLine command={agent.install} />
      )}
      {agent.readiness === "needs_login" && typeof agent.login === "string" && agent.login !== agent.reason && (
        <p className="hint">{agent.login}</p>
      )}
      {agent.readiness === "needs_login" && tested !== null && <LogIn tested={tested} onDone={() => void test()} />}
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

/** The ways to log in that the agent named in its test: a command to run, or a button. */
function LogIn({ tested, onDone }: { tested: AgentTestRow; onDone: () => void }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const logIn = async (method_id: string) => {
    await attempt(() => connection.request({ control: "agents.log_in", agent_id: tested.agent_id, method_id }));
    onDone();
  };
  return (
    <>
      {tested.auth_methods.filter(isJsonObject).map(({ id, name, description, command }) => {
        if (typeof id !== "string") return null;
        const label = typeof name === "string" ? name : id;
        return (
          <div key={id} className="hint">
            <b>{label}</b> {typeof description === "string" && description}
            {typeof command === "string" ? (
              <CommandLine command={command} />
            ) : (
              <button type="button" className="button" disabled={isBusy} onClick={() => void logIn(id)}>
                {isBusy ? "Waiting for the login …" : "Log in"}
              </button>
            )}
          </div>
        );
      })}
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </>
  );
}
