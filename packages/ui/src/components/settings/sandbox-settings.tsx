// The Sandbox section: whether it works on this machine, what commands may write and whether they have the network.

import { isJsonObject, type SetupRow } from "@signalbox/protocol";
import type { QueryState } from "@signalbox/react";
import { ChoiceField, FieldError, ListField } from "./config-fields.tsx";
import { CredentialSettings } from "./credential-settings.tsx";
import { Section } from "./section.tsx";
import { readConfigValue, useConfig } from "./use-config.ts";

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
  const written = readConfigValue(config, network);
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
      {isJsonObject(readConfigValue(config, network)) && (
        <ListField
          label="Hosts that commands, and agents inside the sandbox, may reach"
          path={[...network, "allow"]}
          placeholder="example.com or *.example.com"
          empty="None."
        />
      )}
      <CredentialSettings setup={setup.rows?.[0]} />
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
