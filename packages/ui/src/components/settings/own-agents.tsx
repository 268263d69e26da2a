// Agents of the user's own: a command line and its environment. Values of variables are written to the file and never shown again.
import { isJsonObject, type Json, type JsonObject, toFields } from "@signalbox/protocol";
import { type FormEvent, useState } from "react";
import { AddForm } from "./add-form.tsx";
import { FieldError } from "./config-fields.tsx";
import { parseCommandLine } from "./parse-command-line.ts";
import { useConfig } from "./use-config.ts";

/** `onChanged`: the list of agents is another one now. */
export function OwnAgents({ onChanged }: { onChanged: () => void }) {
  const { config, file } = useConfig();
  const agents = isJsonObject(config.agents) ? Object.entries(config.agents) : [];
  return (
    <fieldset className="config-list">
      <legend>Your own agents</legend>
      <p className="hint">Any program that speaks ACP on stdin and stdout. In {file} under agents.</p>
      <ul className="rows">
        {agents.map(([id, agent]) => (
          <OwnAgent key={id} id={id} agent={toFields(agent)} onChanged={onChanged} />
        ))}
      </ul>
      <AddAgent ids={agents.map(([id]) => id)} onChanged={onChanged} />
    </fieldset>
  );
}

interface OwnAgentProps {
  readonly id: string;
  readonly agent: JsonObject;
  readonly onChanged: () => void;
}

function OwnAgent({ id, agent, onChanged }: OwnAgentProps) {
  const { set, error, isBusy } = useConfig();
  const [typed, setTyped] = useState("");
  const names = isJsonObject(agent.env) ? Object.keys(agent.env) : [];
  const args: readonly Json[] = Array.isArray(agent.args) ? agent.args : [];
  const remove = async () => {
    if (await set({ path: ["agents", id] })) onChanged();
  };
  const addVariable = async (event: FormEvent) => {
    event.preventDefault();
    const at = typed.indexOf("=");
    if (at < 1) return;
    const path = ["agents", id, "env", typed.slice(0, at).trim()];
    if (await set({ path, value: typed.slice(at + 1) })) setTyped((now) => (now === typed ? "" : now));
  };
  return (
    <li>
      <b>{id}</b>
      <small>
        <code>{[agent.command, ...args].filter((word) => typeof word === "string").join(" ")}</code>
      </small>
      <span className="row-acts">
        <button
          type="button"
          className="quiet"
          disabled={isBusy}
          aria-label={`Remove the agent ${id}`}
          onClick={() => void remove()}
        >
          Remove
        </button>
      </span>
      <div className="setup-detail">
        {names.map((name) => (
          <span key={name} className="variable">
            <code>{name}</code>
            <button
              type="button"
              className="quiet"
              disabled={isBusy}
              aria-label={`Remove ${name} of ${id}`}
              onClick={() => void set({ path: ["agents", id, "env", name] })}
            >
              ×
            </button>
          </span>
        ))}
        <form className="key-form" onSubmit={(event) => void addVariable(event)}>
          <input
            aria-label={`Variable for ${id}`}
            placeholder="NAME=value"
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
          <button type="submit" className="button" disabled={isBusy || typed.indexOf("=") < 1}>
            Set variable
          </button>
        </form>
      </div>
      <FieldError error={error} />
    </li>
  );
}

function AddAgent({ ids, onChanged }: { ids: readonly string[]; onChanged: () => void }) {
  const { set, error, isBusy } = useConfig();
  const add = async (id: string, line: string) => {
    const isWritten = await set({ path: ["agents", id], value: parseCommandLine(line) });
    if (isWritten) onChanged();
    return isWritten;
  };
  return (
    <AddForm
      button="Add agent"
      name={{ label: "Id of the agent", hint: "id" }}
      line={{ label: "Command of the agent", hint: "command and arguments" }}
      taken={{ names: ids, problem: "There is an agent of yours with this id." }}
      isBusy={isBusy}
      error={error}
      onAdd={add}
    />
  );
}
