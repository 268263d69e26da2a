// Shown where no agent can work: four ways to a model, and the demo by its name.
import type { AgentRow, SetupRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { AgentSetup } from "../agents/agent-setup.tsx";
import { KeyForm } from "../agents/key-form.tsx";
import { CommandLine } from "../shared/command-line.tsx";
import { ErrorText } from "../shared/error-text.tsx";

interface NoModelProps {
  readonly setup: SetupRow;
  readonly agents: readonly AgentRow[];
  readonly onChanged: () => void;
  readonly onDemo: () => void;
  /** Signalbox's own agent has a model now. */
  readonly onDone: () => void;
}

/** The agents that are offered first, in this order: they install without running anything. */
const suggested = ["claude-code", "gemini", "codex"];

export default function NoModel({ setup, agents, onChanged, onDemo, onDone }: NoModelProps) {
  const isDone = () => {
    onChanged();
    onDone();
  };
  const offered = suggested.flatMap((id) => agents.filter((agent) => agent.id === id && agent.can_install === true));
  return (
    <section className="no-model" aria-label="No model yet">
      <h2>
        Signalbox has no model yet. <span>Four ways, about a minute each:</span>
      </h2>
      <ol>
        <li>
          <h3>Paste an API key</h3>
          <p>
            {setup.providers.map(({ label }) => label).join(", ")}. Kept in {setup.key_place}, sent only to its
            provider.
          </p>
          <KeyForm agentId="signalbox" variables={setup.providers} onSaved={isDone} />
        </li>
        <li>
          <h3>Use a model on this machine</h3>
          <Ollama ollama={setup.ollama} onChanged={onChanged} onDone={isDone} />
        </li>
        <li>
          <h3>Install an agent</h3>
          <p>It brings its own model and log-in. All of them are in the list below.</p>
          <ul className="rows">
            {offered.map((agent) => (
              <li key={agent.id}>
                <b>{agent.label}</b>
                <AgentSetup agent={agent} onChanged={onChanged} />
              </li>
            ))}
          </ul>
        </li>
        <li>
          <h3>Try the demo</h3>
          <p>Signalbox demo is a script, not a model. It writes a note in a folder of its own and asks you first.</p>
          <button type="button" className="button" onClick={onDemo}>
            Try the demo
          </button>
        </li>
      </ol>
      <p className="hint">
        What an agent sends is saved on this computer. The head of each thread says what its commands may touch.
      </p>
    </section>
  );
}

interface OllamaProps {
  readonly ollama: SetupRow["ollama"];
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

const firstModel = "ollama pull qwen3-coder";

function Ollama({ ollama, onChanged, onDone }: OllamaProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const start = async () => {
    await attempt(() => connection.request("ollama.start", {}));
    onChanged();
  };
  const use = async (model: string) => {
    const changes = [
      { path: ["provider"], value: "ollama" },
      { path: ["providers", "ollama", "model"], value: model },
    ];
    if (await attempt(() => connection.request("config.edit", { changes }))) onDone();
  };
  const [model, ...others] = ollama.models;
  return (
    <>
      {!ollama.running && (
        <>
          <p>{ollama.installed ? "Ollama is installed but not running." : "Ollama is not installed here."}</p>
          {ollama.installed ? (
            <button type="button" className="button" disabled={isBusy} onClick={() => void start()}>
              {isBusy ? "Starting …" : "Start Ollama"}
            </button>
          ) : (
            <p>
              Get it from{" "}
              <a href="https://ollama.com/download" target="_blank" rel="noreferrer">
                ollama.com
              </a>
              .{" "}
              <button type="button" className="quiet" onClick={onChanged}>
                Look again
              </button>
            </p>
          )}
        </>
      )}
      {ollama.running && model === undefined && (
        <>
          <p>Ollama is running and has no model. Get one in a terminal:</p>
          <CommandLine command={firstModel} />
          <button type="button" className="quiet" onClick={onChanged}>
            Look again
          </button>
        </>
      )}
      {model !== undefined && (
        <>
          <p>Ollama is running.</p>
          <p>
            {[model, ...others].slice(0, 4).map((name) => (
              <button
                key={name}
                type="button"
                className="button"
                disabled={isBusy}
                onClick={() => void use(name)}
              >{`Use ${name}`}</button>
            ))}
          </p>
        </>
      )}
      <ErrorText error={error} />
    </>
  );
}
