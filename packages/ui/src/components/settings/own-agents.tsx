// Agents of the user's own: a command line and its environment. Values of variables are written to the file and never shown again.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { type FormEvent, useState } from "react";
import { FieldError } from "./config-fields.tsx";
import { useConfig } from "./use-config.ts";
import { wordsOf } from "./words-of.ts";

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
          <OwnAgent key={id} id={id} agent={isJsonObject(agent) ? agent : {}} onChanged={onChanged} />
        ))}
      </ul>
      <AddAgent onChanged={onChanged} />
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

function AddAgent({ onChanged }: { onChanged: () => void }) {
  const { set, error, isBusy } = useConfig();
  const [id, setId] = useState("");
  const [line, setLine] = useState("");
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const [command = "", ...args] = wordsOf(line);
    const value = { command, ...(args.length === 0 ? {} : { args }) };
    if (!(await set({ path: ["agents", id.trim()], value }))) return;
    setId("");
    setLine("");
    onChanged();
  };
  return (
    <form className="key-form add" onSubmit={(event) => void add(event)}>
      <input
        aria-label="Id of the agent"
        placeholder="id"
        value={id}
        spellCheck={false}
        onChange={(event) => setId(event.target.value)}
      />
      <input
        aria-label="Command of the agent"
        placeholder="command and arguments"
        value={line}
        spellCheck={false}
        onChange={(event) => setLine(event.target.value)}
      />
      <button type="submit" className="button" disabled={isBusy || id.trim() === "" || line.trim() === ""}>
        Add agent
      </button>
      <FieldError error={error} />
    </form>
  );
}
