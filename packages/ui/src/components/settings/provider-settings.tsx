// The Providers section: the key of each model provider, and Ollama. A key can be set, replaced and removed; it is never shown again.

import type { ProviderKeyRow, SetupRow } from "@signalbox/protocol";
import type { QueryState } from "@signalbox/react";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { KeyForm } from "../agents/key-form.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { ChoiceField } from "./config-fields.tsx";
import { RefreshedList } from "./refreshed-list.tsx";
import { Section } from "./section.tsx";
import { useConfig } from "./use-config.ts";

export function ProviderSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const row = setup.rows?.[0];
  const { file } = useConfig();
  return (
    <Section
      title="Models and keys"
      lead={`For Signalbox's own agent. A key that you set here is kept in ${row?.key_place ?? "…"} and sent only to its provider. A key in the environment wins.`}
      state={setup}
    >
      <ul className="rows">
        {(row?.providers ?? []).map((provider) => (
          <Provider key={provider.name} provider={provider} onChanged={setup.refresh} />
        ))}
        {row !== undefined && (
          <li>
            <span className="lamp" data-status={row.ollama.running ? "idle" : "closed"} />
            <b>Ollama</b>
            <small>
              {row.ollama.running ? `running: ${row.ollama.models.join(", ") || "no models"}` : "not running"}
            </small>
          </li>
        )}
      </ul>
      <div className="config-fields">
        <ChoiceField
          name="provider"
          choices={[
            { value: "", name: `automatic (${row === undefined ? "…" : usualLabel(row)})` },
            ...(row?.providers ?? []).map(({ name, label }) => ({ value: name, name: label })),
            { value: "ollama", name: "Ollama" },
          ]}
        />
      </div>
      {row !== undefined && (
        <RefreshedList
          text={`The list of models, with their prices, is of ${row.models.as_of}${row.models.fetched_from === null ? "; it came with Signalbox" : `, from ${row.models.fetched_from}`}. Threads that begin now use it.`}
          action="Refresh the model list"
          request="models.refresh"
          onRefreshed={setup.refresh}
        />
      )}
      <small className="hint">In {file} under provider; models are under providers, see docs/config.md.</small>
    </Section>
  );
}

/** Which one the host would choose now. */
function usualLabel({ usual_provider: usual, providers }: SetupRow): string {
  if (usual === null) return "none is set up yet";
  return `now ${providers.find(({ name }) => name === usual)?.label ?? usual}`;
}

function Provider({ provider, onChanged }: { provider: ProviderKeyRow; onChanged: () => void }) {
  const { name, label, variable, key_source: source } = provider;
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    await attempt(() => connection.request("keys.remove", { agent_id: "signalbox", variable }));
    onChanged();
  };
  const isKept = source === "key_ring" || source === "file";
  return (
    <li>
      <span className="lamp" data-status={source === null ? "closed" : "idle"} />
      <b>{label}</b>
      <small>{describeKeySource(provider)}</small>
      <span className="row-acts">
        {source !== "environment" && (
          <button
            type="button"
            className="button"
            aria-expanded={isOpen}
            aria-label={isKept ? `Replace the key of ${label}` : `Set key for ${label}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isKept ? "Replace" : "Set key"}
          </button>
        )}
        {isKept && (
          <button
            type="button"
            className="quiet"
            disabled={isBusy}
            aria-label={`Remove the key of ${label}`}
            onClick={() => void remove()}
          >
            Remove
          </button>
        )}
      </span>
      {isOpen && (
        <div className="setup-detail">
          <KeyForm
            agentId="signalbox"
            variables={[{ ...provider, label: name }]}
            onSaved={() => {
              setOpen(false);
              onChanged();
            }}
            onCancel={() => setOpen(false)}
          />
        </div>
      )}
      <ErrorText error={error} />
    </li>
  );
}

function describeKeySource({ variable, key_source, last_four }: ProviderKeyRow): string {
  switch (key_source) {
    case null:
      return "no key";
    case "environment":
      return `key from the environment: ${variable}`;
    default:
      return `key ····${last_four ?? ""}`;
  }
}
