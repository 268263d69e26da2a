// The sections of the settings, each with what else a person may call what is in it: the command palette leads to them.
export const settingSections = {
  "Models and keys": "provider, API key, Ollama",
  Agents: "install, log in, test, environment, own commands",
  "MCP servers": "tools, add, test, switch off",
  Rules: "permissions: allow, ask, deny",
  "Sandbox and network": "hosts, folders",
  "Budget and limits": "cost of a session and a day, time limits",
  Data: "disk space, retention, delete old threads",
  Import: "history of Claude Code and Codex",
  Devices: "pair a phone, notifications, sound",
  "This browser": "theme, editor, diffs, notifications",
} as const;

export type SettingSection = keyof typeof settingSections;

export function isSettingSection(name: string | null): name is SettingSection {
  return name !== null && Object.hasOwn(settingSections, name);
}
