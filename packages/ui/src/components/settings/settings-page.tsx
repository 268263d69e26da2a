// The Settings view. Forms save immediately; each section names the file behind it, which stays editable by hand.
import { useQuery } from "@signalbox/react";
import { useMemo } from "react";
import { LoadProblem } from "../shared/load-problem.tsx";
import { AgentSettings } from "./agent-settings.tsx";
import { BrowserSettings } from "./browser-settings.tsx";
import { DataSettings } from "./data-settings.tsx";
import { DeviceSettings } from "./device-settings.tsx";
import { ImportSettings } from "./import-settings.tsx";
import { LimitSettings } from "./limit-settings.tsx";
import { McpSettings } from "./mcp-settings.tsx";
import { ProviderSettings } from "./provider-settings.tsx";
import { RuleSettings } from "./rule-settings.tsx";
import { SandboxSettings } from "./sandbox-settings.tsx";
import { ConfigContext } from "./use-config.ts";

export default function SettingsPage() {
  const setup = useQuery("setup.get", {});
  const state = useQuery("config.get", {});
  const { reload } = state;
  const row = state.rows?.[0];
  const form = useMemo(
    () => (row === undefined ? null : { config: row.config, file: row.file, keys: row.keys, reload }),
    [row, reload],
  );
  // A form that does not know what is written would show what is not so, and write a list without what is in it.
  if (form === null)
    return (
      <div className="page settings">
        <h1>Settings</h1>
        {state.error === null && <p role="status">Reading config.json …</p>}
        <LoadProblem what="The settings" state={state} />
      </div>
    );
  return (
    <ConfigContext value={form}>
      <div className="page settings">
        <h1>Settings</h1>
        {typeof row?.problem === "string" && (
          <p role="alert" className="error">
            {row.problem} Until then, what was read before holds, and nothing can be changed here.
          </p>
        )}
        <ProviderSettings setup={setup} />
        <AgentSettings setup={setup} />
        <McpSettings />
        <RuleSettings />
        <SandboxSettings setup={setup} />
        <LimitSettings />
        <DataSettings setup={setup} />
        <ImportSettings />
        <DeviceSettings />
        <BrowserSettings hostEditor={setup.rows?.[0]?.editor ?? null} />
      </div>
    </ConfigContext>
  );
}
