// Model providers for Signalbox's own agent: whether there is a key, never the key.
import type { SetupRow } from "@signalbox/protocol";
import type { QueryState } from "../../hooks/use-query.ts";
import { Section } from "./section.tsx";

export function ProviderSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const row = setup.rows?.[0];
  return (
    <Section
      title="Providers"
      lead="Models for Signalbox's own agent. A key is read from its variable when it is used; it is never stored or shown."
      state={setup}
    >
      <ul className="rows">
        {(row?.providers ?? []).map((provider) => (
          <li key={provider.name}>
            <span className="lamp" data-status={provider.key_present ? "idle" : "closed"} />
            <b>{provider.label}</b>
            <small>
              {provider.key_present ? "key found in" : "set"} <code>{provider.variable}</code>
              {!provider.key_present && " and start Signalbox again"}
            </small>
          </li>
        ))}
        {row !== undefined && (
          <li>
            <span className="lamp" data-status={row.ollama.running ? "idle" : "closed"} />
            <b>Ollama</b>
            <small>
              {row.ollama.running ? `runs: ${row.ollama.models.join(", ") || "no models yet"}` : "does not run here"}
            </small>
          </li>
        )}
      </ul>
    </Section>
  );
}
