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
  /** Its second prompt never reaches the scripted model, so that neither a cancel nor a restart can be seen. */
  readonly firstTurnOnly?: true;
  /** What a person does in a terminal before the agent can be inside: it unpacks itself, or makes its settings. */
  before?(url: string): readonly [string, ...string[]];
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const key = { OPENAI_API_KEY: "not-a-key" };

function json(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Leads Codex to a model on loopback; gives its variables. */
export function codexSettings(home: string, url: string): Readonly<Record<string, string>> {
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
  {
    npmPackage: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    id: "gemini",
    firstTurnOnly: true,
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    settings: (home, url) => {
      write(join(home, ".gemini/settings.json"), json({ security: { auth: { selectedType: "gemini-api-key" } } }));
      return { GEMINI_API_KEY: "not-a-key", GOOGLE_GEMINI_BASE_URL: url };
    },
  },
  {
    npmPackage: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    afterInstall: ["node_modules/opencode-ai/postinstall.mjs"],
    id: "opencode",
    shell: (command) => ({ name: "bash", input: { command, description: "Tries" } }),
    settings: (home, url) => {
      const scripted = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: "not-a-key" },
        models: { scripted: { name: "Scripted" } },
      };
      const settings = { model: "scripted/scripted", provider: { scripted }, permission: { bash: "ask" } };
      write(join(home, ".config/opencode/opencode.json"), json(settings));
      return {};
    },
    before: () => ["opencode", "models"],
  },
  {
    npmPackage: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    id: "copilot",
    shell: (command) => ({ name: "bash", input: { command, description: "Tries" } }),
    settings: (_home, url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "not-a-key",
      COPILOT_MODEL: "gpt-4o",
      COPILOT_OFFLINE: "true",
    }),
    before: () => ["copilot", "--version"],
  },
  {
    npmPackage: "cline",
    version: "3.0.65",
    program: "cline",
    id: "cline",
    shell: (command) => ({ name: "run_commands", input: { commands: [command] } }),
    // Over ACP it works with a log-in to its own service only; the address of that service is a setting.
    settings: (home, url) => {
      const settings = { provider: "cline", apiKey: "not-a-key", model: "scripted", baseUrl: `${url}/v1` };
      const cline = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
      const providers = { version: 1, lastUsedProvider: "cline", modes: {}, providers: { cline } };
      write(join(home, ".cline/data/settings/providers.json"), json(providers));
      return { CLINE_API_KEY: "not-a-key" };
    },
  },
  {
    npmPackage: "@xai-official/grok",
    version: "1.0.41",
    program: "grok",
    id: "grok",
    shell: (command) => ({ name: "run_terminal_command", input: { command, description: "Tries" } }),
    settings: (home, url) => {
      const lines = [
        "[models]",
        'default = "scripted"',
        "[model.scripted]",
        'model = "scripted"',
        `base_url = "${url}/v1"`,
        'env_key = "OPENAI_API_KEY"',
      ];
      write(join(home, ".grok/config.toml"), `${lines.join("\n")}\n`);
      return key;
    },
    before: () => ["grok", "--version"],
  },
  {
    npmPackage: "@nanocollective/nanocoder",
    version: "1.30.0",
    program: "nanocoder",
    id: "nanocoder",
    shell: (command) => ({ name: "execute_bash", input: { command } }),
    settings: (home, url) => {
      const scripted = { name: "scripted", baseUrl: `${url}/v1`, apiKey: "not-a-key", models: ["scripted"] };
      write(join(home, ".config/nanocoder/agents.config.json"), json({ nanocoder: { providers: [scripted] } }));
      // Where tests run it reads no settings.
      return { NODE_ENV: "production" };
    },
  },
];
