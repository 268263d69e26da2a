// The Settings view: agents, providers, permission rules, sandbox, data, import and this browser.
import type { SetupRow } from "@signalbox/protocol";
import { type QueryState, useQuery } from "../../hooks/use-query.ts";
import { AgentSettings } from "./agent-settings.tsx";
import { BrowserSettings } from "./browser-settings.tsx";
import { DataSettings } from "./data-settings.tsx";
import { ImportSettings } from "./import-settings.tsx";
import { RuleSettings } from "./rule-settings.tsx";
import { Section } from "./section.tsx";

export default function SettingsPage() {
  const setup = useQuery("setup.get", {});
  return (
    <div className="page settings">
      <h1>Settings</h1>
      <AgentSettings />
      <ProviderSettings setup={setup} />
      <RuleSettings />
      <SandboxSettings setup={setup} />
      <DataSettings setup={setup} />
      <ImportSettings />
      <BrowserSettings />
    </div>
  );
}

function ProviderSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const row = setup.rows?.[0];
  return (
    <Section
      title="Providers"
      lead="Model providers for Signalbox's own agent. Keys are read from the environment and never stored or shown."
      state={setup}
    >
      <ul className="rows">
        {(row?.providers ?? []).map((provider) => (
          <li key={provider.name}>
            <span className="lamp" data-status={provider.key_present ? "idle" : "closed"} />
            <b>{provider.label}</b>
            <small>
              {provider.key_present ? "key found in" : "no key: set"} <code>{provider.variable}</code>
              {!provider.key_present && ", then restart Signalbox"}
            </small>
          </li>
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
    </Section>
  );
}

function SandboxSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const sandbox = setup.rows?.[0]?.sandbox;
  return (
    <Section
      title="Sandbox"
      lead="What commands that run through Signalbox may write and connect to. Change it in config.json under sandbox."
      state={setup}
    >
      {sandbox !== undefined && (
        <ul className="rows">
          <li>
            <span className="lamp" data-status={sandbox.enforced ? "idle" : "failed"} />
            <b>{sandbox.enforced ? "enforced" : "not enforced"}</b>
            <small>
              mode {sandbox.mode}, network {sandbox.network ? "on" : "off"}
            </small>
            <p className="hint">{sandbox.reason ?? sandbox.by}</p>
          </li>
        </ul>
      )}
    </Section>
  );
}
