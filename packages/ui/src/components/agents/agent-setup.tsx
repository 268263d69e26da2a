// The next step before an agent can work, as one button: install it, log in, or set a key. Progress is shown below it.

import { type AgentRow, type AgentTestRow, isJsonObject } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useProgress } from "../../hooks/use-progress.ts";
import { CommandLine } from "../shared/command-line.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { ProgressBar } from "../shared/progress-bar.tsx";
import { KeyForm } from "./key-form.tsx";

interface AgentSetupProps {
  readonly agent: AgentRow;
  /** Something of the agent changed. */
  readonly onChanged: () => void;
}

export function AgentSetup(props: AgentSetupProps) {
  const { agent } = props;
  if (agent.readiness === "not_installed") return agent.can_install === true ? <Install {...props} /> : null;
  if (agent.readiness === "needs_login") return <LogIn {...props} />;
  return null;
}

function Install({ agent, onChanged }: AgentSetupProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const progress = useProgress("agents.install", agent.id);
  const [isAsking, setAsking] = useState(false);
  const isRunning = isBusy || progress?.finished === false;
  const warning = agent.install_warning ?? null;
  const install = async () => {
    setAsking(false);
    await attempt(() => connection.request("agents.install", { agent_id: agent.id }));
    onChanged();
  };
  const cancel = () => void connection.request("agents.cancel_install", { agent_id: agent.id });
  return (
    <>
      <span className="row-acts">
        {isRunning ? (
          <button
            type="button"
            className="button"
            aria-label={`Cancel the installation of ${agent.label}`}
            onClick={cancel}
          >
            Cancel
          </button>
        ) : (
          <button
            type="button"
            className="button"
            title={agent.install ?? undefined}
            aria-label={`Install ${agent.label}`}
            onClick={() => (warning === null ? void install() : setAsking(!isAsking))}
          >
            Install
          </button>
        )}
      </span>
      {isAsking && (
        <div className="setup-detail">
          <p className="hint">{warning}</p>
          {typeof agent.install === "string" && <CommandLine command={agent.install} />}
          <button type="button" className="button" onClick={() => void install()}>
            Install it anyway
          </button>
        </div>
      )}
      {isRunning && (
        <div className="setup-detail">
          {typeof agent.install === "string" && <CommandLine command={agent.install} />}
          <ProgressBar label={`Installation of ${agent.label}`} done={progress?.done} total={progress?.total} />
          <p className="hint" role="status">
            {progress?.total === undefined
              ? "Installing …"
              : `${bytes(progress.done ?? 0)} of ${bytes(progress.total)}`}
          </p>
          {progress?.output !== undefined && progress.output !== "" && (
            <pre className="agent-output">{progress.output.split("\n").slice(-6).join("\n")}</pre>
          )}
        </div>
      )}
      {error !== null && !isRunning && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </>
  );
}

function LogIn({ agent, onChanged }: AgentSetupProps) {
  const [isOpen, setOpen] = useState(false);
  const keys = agent.keys ?? [];
  // Our own agent takes the key of any provider, and has no other way.
  const wantsKey = agent.id === "signalbox";
  return (
    <>
      <span className="row-acts">
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          aria-label={wantsKey ? `Set key for ${agent.label}` : `Log in to ${agent.label}`}
          onClick={() => setOpen(!isOpen)}
        >
          {wantsKey ? "Set key" : "Log in"}
        </button>
      </span>
      {isOpen && (
        <div className="setup-detail">
          {!wantsKey && <LogInWays agent={agent} onDone={onChanged} />}
          {keys.length > 0 && (
            <KeyForm
              agentId={agent.id}
              variables={keys.map((key) => ({ ...key, label: key.variable }))}
              onSaved={onChanged}
            />
          )}
        </div>
      )}
    </>
  );
}

/** The ways to log in that the agent names: a button, or a command to run. It is started to find out. */
function LogInWays({ agent, onDone }: { agent: AgentRow; onDone: () => void }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const [tested, setTested] = useState<AgentTestRow | null>(null);
  const ask = async (method?: string) => {
    await attempt(async () => {
      const { test } =
        method === undefined
          ? await connection.request("agents.test", { agent_id: agent.id })
          : await connection.request("agents.log_in", { agent_id: agent.id, method_id: method });
      setTested(test);
    });
    onDone();
  };
  return (
    <>
      {typeof agent.login === "string" && <p className="hint">{agent.login}</p>}
      {tested?.auth_methods.filter(isJsonObject).map(({ id, name, description, command }) => {
        if (typeof id !== "string") return null;
        const label = typeof name === "string" ? name : id;
        return (
          <div key={id} className="hint">
            <b>{label}</b> {typeof description === "string" && description}
            {typeof command === "string" ? (
              <CommandLine command={command} />
            ) : (
              <button type="button" className="button" disabled={isBusy} onClick={() => void ask(id)}>
                {isBusy ? "Waiting for the login …" : `Log in with ${label}`}
              </button>
            )}
          </div>
        );
      })}
      <button type="button" className="button" disabled={isBusy} onClick={() => void ask()}>
        {isBusy ? "Asking …" : tested === null ? "Ways to log in" : "Test again"}
      </button>
      <ErrorText error={error} />
    </>
  );
}
