// The Sandbox section: whether it works on this machine, what commands may write and whether they have the network.

import { isJsonObject, type SetupRow } from "@signalbox/protocol";
import type { QueryState } from "@signalbox/react";
import { ListBox } from "../shared/list-box.tsx";
import { ConfigField, FieldError, TextList } from "./config-fields.tsx";
import { CredentialSettings } from "./credential-settings.tsx";
import { Section } from "./section.tsx";
import { readConfigValue, useConfig, useKey } from "./use-config.ts";

const network = ["sandbox", "network"];

/** Nothing, the hosts of a list, or everything. */
function Network() {
  const { label } = useKey("sandbox.network");
  const { config, set, error, isBusy } = useConfig();
  const written = readConfigValue(config, network);
  const chosen = written === true ? "everything" : isJsonObject(written) ? "listed" : "nothing";
  const choose = (value: string) => {
    if (value === "nothing") void set({ path: network });
    else void set({ path: network, value: value === "everything" ? true : { allow: [] } });
  };
  return (
    <div className="config-field">
      <span className="labelled">
        {label}
        <ListBox
          label={label}
          value={chosen}
          isDisabled={isBusy}
          onChange={choose}
          options={[
            { value: "nothing", name: "nothing (default)" },
            { value: "listed", name: "listed hosts" },
            { value: "everything", name: "everything" },
          ]}
        />
      </span>
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
        <ConfigField name="sandbox.mode" />
        <Network />
      </div>
      {isJsonObject(readConfigValue(config, network)) && (
        <TextList
          label="Hosts that commands and sandboxed agents may reach"
          path={[...network, "allow"]}
          placeholder="example.com or *.example.com"
        />
      )}
      <CredentialSettings setup={setup.rows?.[0]} />
      <ConfigField name="sandbox.writable" />
      <ConfigField name="sandbox.readable" />
      <ConfigField name="fetch.private_hosts" />
    </Section>
  );
}
