// The Sandbox section: whether it works on this machine, what commands may write and whether they have the network.

import { isJsonObject, type SetupRow } from "@signalbox/protocol";
import type { QueryState } from "@signalbox/react";
import { ChoiceField, FieldError, ListField } from "./config-fields.tsx";
import { Section } from "./section.tsx";
import { useConfig, valueAt } from "./use-config.ts";

const modes = [
  { value: "sandbox", name: "Write in the thread's folder (default)" },
  { value: "rx", name: "Write nothing" },
  { value: "rwx", name: "Write anywhere but protected paths" },
  { value: "off", name: "No sandbox" },
];

const network = ["sandbox", "network"];

/** Nothing, the hosts of a list, or everything. */
function Network() {
  const { config, set, error, isBusy } = useConfig();
  const written = valueAt(config, network);
  const chosen = written === true ? "everything" : isJsonObject(written) ? "listed" : "nothing";
  const choose = (value: string) => {
    if (value === "nothing") void set({ path: network });
    else void set({ path: network, value: value === "everything" ? true : { allow: [] } });
  };
  return (
    <div className="config-field">
      <label>
        Commands may reach
        <select value={chosen} disabled={isBusy} onChange={(event) => choose(event.target.value)}>
          <option value="nothing">nothing (default)</option>
          <option value="listed">listed hosts</option>
          <option value="everything">everything</option>
        </select>
      </label>
      <FieldError error={error} />
    </div>
  );
}

/** By name only: the values are not in the config, and never on the page. */
function Credentials() {
  const { config } = useConfig();
  const written = valueAt(config, ["sandbox", "credentials"]);
  const all = Object.entries(isJsonObject(written) ? written : {});
  const isByName = isJsonObject(valueAt(config, network));
  if (all.length === 0) return null;
  return (
    <div className="config-field">
      <span id="credentials">Credentials that are added outside, which no command sees</span>
      <ul aria-labelledby="credentials">
        {all.map(([name, entry]) => (
          <li key={name}>
            <b>{name}</b> <small>{describeCredential(entry)}</small>
          </li>
        ))}
      </ul>
      {!isByName && <p className="hint">Not used now: commands have to reach listed hosts for that.</p>}
    </div>
  );
}

function word(value: unknown, otherwise = "?"): string {
  return typeof value === "string" ? value : otherwise;
}

function describeCredential(entry: unknown): string {
  const written = isJsonObject(entry) ? entry : {};
  const { host, header, env, key } = written;
  const from = isJsonObject(key) ? `the key ${word(key.variable)}` : `the variable ${word(env)}`;
  return `for ${word(host)}, as ${word(header, "authorization")}, from ${from}`;
}

export function SandboxSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const { config, file } = useConfig();
  const sandbox = setup.rows?.[0]?.sandbox;
  return (
    <Section
      title="Sandbox and network"
      lead={`What commands that run through Signalbox may write and connect to, in agents that start from now on. In ${file} under sandbox; a project can only tighten it.`}
      state={setup}
    >
      {sandbox !== undefined && (
        <p className="row">
          <span className="lamp" data-status={sandbox.enforced ? "idle" : "failed"} />
          <b>{sandbox.enforced ? "enforced" : "not enforced"}</b>
          <small>{sandbox.reason ?? sandbox.by}</small>
        </p>
      )}
      <div className="config-fields">
        <ChoiceField label="Commands may" path={["sandbox", "mode"]} choices={modes} />
        <Network />
      </div>
      {isJsonObject(valueAt(config, network)) && (
        <ListField
          label="Hosts that commands, and agents inside the sandbox, may reach"
          path={[...network, "allow"]}
          placeholder="example.com or *.example.com"
          empty="None."
        />
      )}
      <Credentials />
      <ListField
        label="Further folders that commands may write"
        path={["sandbox", "writable"]}
        placeholder="/home/you/cache"
        empty="None."
      />
      <ListField
        label="Hosts at private addresses that the tool fetch may read"
        path={["fetch", "private_hosts"]}
        placeholder="wiki.internal"
        empty="None."
      />
    </Section>
  );
}
