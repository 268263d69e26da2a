// The Settings view. Forms save immediately; each section names the file behind it, which stays editable by hand.
import { useQuery } from "@signalbox/react";
import { type ReactNode, useMemo, useState } from "react";
import { formatRoute, useRoute } from "../../hooks/use-route.ts";
import { settingSections } from "../../text/setting-sections.ts";
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
import { SettingFind } from "./section.tsx";
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
      <SettingsShell>
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
      </SettingsShell>
    </ConfigContext>
  );
}

/** The sections at the left, with a field that leaves only what has the words. */
function SettingsShell({ children }: { children: ReactNode }) {
  const [find, setFind] = useState("");
  const route = useRoute();
  const open = route.page === "settings" ? route.section : undefined;
  return (
    <div className="page settings settings-shell">
      <nav aria-label="Sections of the settings">
        <h1>Settings</h1>
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
        {(Object.keys(settingSections) as (keyof typeof settingSections)[]).map((section) => (
          <a
            key={section}
            href={formatRoute({ page: "settings", section })}
            aria-current={open === section ? "true" : undefined}
          >
            {section}
          </a>
        ))}
        <p className="hint">Saved at once.</p>
      </nav>
      <div className="settings-content">
        <SettingFind value={find}>{children}</SettingFind>
      </div>
    </div>
  );
}
