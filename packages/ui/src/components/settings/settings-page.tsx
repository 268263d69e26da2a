// Settings: agents, providers, permission rules, sandbox, data, import, and what this browser should do.

import { useQuery } from "../../hooks/use-query.ts";
import { AgentSettings } from "./agent-settings.tsx";
import { BrowserSettings } from "./browser-settings.tsx";
import { DataSettings } from "./data-settings.tsx";
import { ImportSettings } from "./import-settings.tsx";
import { ProviderSettings } from "./provider-settings.tsx";
import { RuleSettings } from "./rule-settings.tsx";
import { SandboxSettings } from "./sandbox-settings.tsx";

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
