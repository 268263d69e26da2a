// The agents that are tried inside the sandbox: where each comes from, how its own shell tool is called, and how it is led to a model on loopback.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScriptedToolCall } from "../support/model-server/script.ts";
import { claudeAcp } from "./claude-home.ts";
import { codex, goose, type RealAgent } from "./install-agents.ts";

export interface InsideAgent extends RealAgent {
  readonly id: string;
  shell(command: string): ScriptedToolCall;
  /** Writes its settings and gives its variables. */
  settings(home: string, url: string): Readonly<Record<string, string>>;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const key = { OPENAI_API_KEY: "not-a-key" };

function json(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function codexSettings(home: string, url: string): Readonly<Record<string, string>> {
  const lines = [
    'model = "scripted"',
    'model_provider = "scripted"',
    "[model_providers.scripted]",
    'name = "Scripted"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "OPENAI_API_KEY"',
  ];
  write(join(home, ".codex/config.toml"), `${lines.join("\n")}\n`);
  return key;
}

export const insideAgents: readonly InsideAgent[] = [
  {
    ...goose,
    id: "goose",
    shell: (command) => ({ name: "shell", input: { command } }),
    settings: (_home, url) => ({
      ...key,
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "gpt-4o",
      GOOSE_DISABLE_KEYRING: "1",
      OPENAI_HOST: url,
    }),
  },
  {
    ...codex,
    id: "codex-native",
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    settings: codexSettings,
  },
  {
    ...claudeAcp,
    id: "claude-code",
    shell: (command) => ({ name: "Bash", input: { command } }),
    settings: (_home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "not-a-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      // The published adapter does not start for root without this. The mode stays the one that asks.
      ...(process.geteuid?.() === 0 && { IS_SANDBOX: "1" }),
    }),
  },
  {
    npmPackage: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "codex-acp",
    id: "codex",
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    settings: codexSettings,
  },
  {
    npmPackage: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "qwen",
    id: "qwen",
    shell: (command) => ({ name: "run_shell_command", input: { command, is_background: false } }),
    settings: (home, url) => {
      write(join(home, ".qwen/settings.json"), json({ security: { auth: { selectedType: "openai" } } }));
      return { ...key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "scripted" };
    },
  },
  {
    npmPackage: "pi-acp",
    version: "0.0.34",
    program: "pi-acp",
    beside: "@earendil-works/pi-coding-agent@0.87.0",
    id: "pi",
    shell: (command) => ({ name: "bash", input: { command } }),
    settings: (home, url) => {
      const provider = {
        baseUrl: `${url}/v1`,
        api: "openai-completions",
        apiKey: "not-a-key",
        models: [{ id: "scripted" }],
      };
      write(join(home, ".pi/agent/models.json"), json({ providers: { scripted: provider } }));
      write(join(home, ".pi/agent/settings.json"), json({ defaultProvider: "scripted", defaultModel: "scripted" }));
      return {};
    },
  },
];
