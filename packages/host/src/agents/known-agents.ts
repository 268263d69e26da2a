// Lists the known agents: how each is started, found, installed and logged in to, and how it differs from the protocol. To add one, add
// a row. docs/agents.md says which were tested.
import { join } from "node:path";
import type { Config } from "@signalbox/config";
import { chosenProvider, keyVariables, noProvider, providerNames } from "@signalbox/config/providers";
import { makeAgentEnvironment } from "./agent-environment.ts";
import { agentSandboxes } from "./agent-sandboxes.ts";
import { describeInstallCommand, makeInstallFolder, type NpmPlan } from "./install/install-plan.ts";
import type { AgentDefinition, AgentQuirks, CommandPlace, ProgramOrigin } from "./registry.ts";
import { describeUsualModel } from "./usual-model.ts";

interface KnownAgent {
  readonly id: string;
  readonly label: string;
  /** The program and its arguments. */
  readonly start: readonly [string, ...string[]];
  readonly program: KnownProgram;
  readonly login: string;
  /** The variable that it reads a key from. */
  readonly key?: string;
  readonly defaultEnv?: Readonly<Record<string, string>>;
  readonly quirks?: AgentQuirks;
  /** The name in its `agentInfo`, where it has quirks and reports one. */
  readonly reports?: string;
  readonly commands?: CommandPlace;
}

interface KnownProgram extends ProgramOrigin {
  /** Another package that must be installed with it. */
  readonly beside?: string;
  /** True if it works only if its package may run scripts during the installation. The others were tried without. */
  readonly runsScripts?: boolean;
}

const rows: readonly KnownAgent[] = [
  {
    id: "claude-code",
    label: "Claude Code",
    start: ["claude-agent-acp"],
    program: { npmPackage: "@agentclientprotocol/claude-agent-acp", version: "0.99.1", minimumNode: 22 },
    login: "Run `claude` in a terminal and log in there with /login, or set ANTHROPIC_API_KEY.",
    key: "ANTHROPIC_API_KEY",
  },
  {
    id: "codex",
    label: "Codex",
    start: ["codex-acp"],
    program: { npmPackage: "@agentclientprotocol/codex-acp", version: "2.6.0", onlyFromPackage: true },
    login: "Run `codex login` in a terminal, or set OPENAI_API_KEY.",
    key: "OPENAI_API_KEY",
    // The agent then asks the client for permission instead of deciding itself.
    defaultEnv: { INITIAL_AGENT_MODE: "read-only" },
    quirks: { endsAtStdinEnd: false },
    reports: "@agentclientprotocol/codex-acp",
    commands: "in_own_sandbox",
  },
  {
    id: "codex-native",
    label: "Codex (native)",
    start: ["codex-acp"],
    program: { npmPackage: "@zed-industries/codex-acp", version: "0.16.0" },
    login: "Run `codex login` in a terminal, or set OPENAI_API_KEY.",
    key: "OPENAI_API_KEY",
    quirks: { endsAtStdinEnd: false },
    commands: "in_own_sandbox",
  },
  {
    id: "gemini",
    label: "Gemini CLI",
    start: ["gemini", "--acp"],
    program: { npmPackage: "@google/gemini-cli", version: "0.61.0" },
    login: "Run `gemini` in a terminal and choose how to log in, or set GEMINI_API_KEY.",
    key: "GEMINI_API_KEY",
    quirks: { readMissingFile: "empty" },
    reports: "gemini-cli",
  },
  {
    id: "opencode",
    label: "OpenCode",
    start: ["opencode", "acp"],
    program: { npmPackage: "opencode-ai", version: "1.18.33", runsScripts: true },
    login: "Run `opencode auth login` in a terminal.",
  },
  {
    id: "goose",
    label: "Goose",
    start: ["goose", "acp", "--with-builtin", "developer"],
    program: { npmPackage: "@aaif/goose", version: "0.20.1" },
    login: "Run `goose configure` in a terminal to choose a provider and its key.",
    defaultEnv: { GOOSE_MODE: "approve" },
    quirks: { endsAtStdinEnd: false },
    commands: "shell_in_our_terminals",
  },
  {
    id: "qwen",
    label: "Qwen Code",
    start: ["qwen", "--acp"],
    program: { npmPackage: "@qwen-code/qwen-code", version: "0.24.4", minimumNode: 22 },
    login: "Run `qwen` in a terminal and log in with /auth, or set OPENAI_API_KEY.",
    key: "OPENAI_API_KEY",
  },
  {
    id: "copilot",
    label: "Copilot CLI",
    start: ["copilot", "--acp"],
    program: { npmPackage: "@github/copilot", version: "1.0.102" },
    login: "Run `copilot` in a terminal and log in with /login.",
  },
  {
    id: "cline",
    label: "Cline",
    start: ["cline", "--acp"],
    program: { npmPackage: "cline", version: "3.0.65", platformPackage: "@cline/cli" },
    login: "Run `cline auth` in a terminal.",
    quirks: { endsAtStdinEnd: false },
  },
  {
    id: "grok",
    label: "Grok",
    start: ["grok", "agent", "--no-leader", "stdio"],
    program: { npmPackage: "@xai-official/grok", version: "1.0.41" },
    login: "Run `grok login` in a terminal, or set XAI_API_KEY.",
    key: "XAI_API_KEY",
    quirks: { endsAtStdinEnd: false },
    commands: "shell_in_our_terminals",
  },
  {
    id: "nanocoder",
    label: "nanocoder",
    start: ["nanocoder", "--acp"],
    program: { npmPackage: "@nanocollective/nanocoder", version: "1.30.0", minimumNode: 22 },
    login: "Run `nanocoder` in a terminal and set up a provider there.",
  },
  {
    id: "pi",
    label: "pi",
    start: ["pi-acp"],
    program: { npmPackage: "pi-acp", version: "0.0.34", beside: "@earendil-works/pi-coding-agent@0.87.0" },
    login: "Run `pi` in a terminal and log in with /login.",
  },
  {
    id: "auggie",
    label: "Auggie",
    start: ["auggie", "--acp"],
    program: { npmPackage: "@augmentcode/auggie", version: "0.36.0" },
    login: "Run `auggie login` in a terminal.",
  },
  {
    id: "droid",
    label: "Droid",
    start: ["droid", "exec", "--output-format", "acp"],
    program: { npmPackage: "droid", version: "0.215.0" },
    login: "Run `droid` in a terminal and log in there, or set FACTORY_API_KEY.",
    key: "FACTORY_API_KEY",
  },
  {
    id: "qoder",
    label: "Qoder",
    start: ["qodercli", "--acp"],
    program: { npmPackage: "@qoder-ai/qodercli", version: "1.1.52" },
    login: "Run `qodercli` in a terminal and log in with /login.",
    quirks: { endsAtStdinEnd: false },
  },
];

/** The quirks of the agent that reports this name; none when no such agent is known. */
export function findKnownQuirks(reportedName: string): AgentQuirks {
  return rows.find(({ reports }) => reports === reportedName)?.quirks ?? {};
}

/** Each is installed to a folder of its own in the data folder. */
export function listKnownAgents(dataFolder: string): readonly AgentDefinition[] {
  return rows.map((row) => {
    const { id, label, start, login, key, defaultEnv = {}, quirks = {}, commands } = row;
    const { beside, runsScripts = false, ...program } = row.program;
    const [command, ...args] = start;
    const installFolder = makeInstallFolder(dataFolder, id);
    const first = `${program.npmPackage}@${program.version}`;
    const plan: NpmPlan = {
      type: "npm",
      packages: beside === undefined ? [first] : [first, beside],
      program: command,
      runsScripts,
    };
    const install = describeInstallCommand(plan, installFolder);
    const found = { command, args, program, installFolder };
    const definition = {
      id,
      label,
      ...found,
      plan,
      install,
      login,
      keys: { variables: key === undefined ? [] : [key] },
      userEnv: { defaults: defaultEnv },
      quirks,
    };
    const sandbox = agentSandboxes[id];
    return { ...definition, ...(commands && { commands }), ...(sandbox && { sandbox }) };
  });
}

/** How to start Signalbox itself. */
export interface OwnProgram {
  readonly command: string;
  /** Before the name of the command: usually the file that Node runs. */
  readonly args: readonly string[];
  readonly version: string;
}

export const demoAgentId = "demo";

/** Signalbox's own agents. They read the configuration in the host's data folder, and keep their sessions there. */
export function listOwnAgents(
  { command, args, version }: OwnProgram,
  dataFolder: string,
  config: Pick<Config, "provider" | "providers">,
  keptVariables: () => readonly string[] = () => [],
): readonly AgentDefinition[] {
  const env = { SIGNALBOX_HOME: dataFolder };
  const claudeFolder = join(dataFolder, "claude");
  return [
    {
      id: demoAgentId,
      label: "Signalbox demo",
      own: { version },
      command,
      args: [...args, "agent", "--provider", "demo"],
      env,
      commands: "in_our_sandbox",
    },
    {
      id: "signalbox",
      label: "Signalbox",
      own: { version, usualModel: () => describeUsualModel(config, addKeptVariables(keptVariables()), dataFolder) },
      command,
      args: [...args, "agent"],
      env,
      commands: "in_our_sandbox",
      login: noProvider,
      keys: { variables: listModelKeyVariables(config) },
      lacks: () => (chosenProvider(config, addKeptVariables(keptVariables())) === undefined ? noProvider : undefined),
    },
    {
      id: "claude",
      label: "Claude Code through Signalbox",
      own: { version },
      command,
      args: [...args, "claude"],
      env,
      commands: "in_our_terminals",
      needs: { npmPackage: claudeSdk, folder: claudeFolder },
      installFolder: claudeFolder,
      keys: { variables: ["ANTHROPIC_API_KEY"] },
      plan: claudePlan,
      install: describeInstallCommand(claudePlan, claudeFolder),
      login: "Run `claude` in a terminal and log in there with /login, or set ANTHROPIC_API_KEY.",
    },
  ];
}

/** Every variable that may hold the key of a provider. */
function listModelKeyVariables({ providers: configured }: Pick<Config, "providers">): readonly string[] {
  const names = new Set([...providerNames, ...Object.keys(configured)]);
  return [...new Set([...names].flatMap((name) => keyVariables(name, configured[name])))];
}

/** The environment as the agent will find it, as far as it matters whether a key is there. */
function addKeptVariables(variables: readonly string[]): NodeJS.ProcessEnv {
  const kept = () => Object.fromEntries(variables.map((name) => [name, "kept"]));
  return makeAgentEnvironment({ keys: { variables, kept } }, process.env);
}

const claudeSdk = "@anthropic-ai/claude-agent-sdk";
/** The one that packages/claude-agent is tested with; test/agents/claude-sdk.test.ts checks that they agree. */
const claudeSdkVersion = "0.3.325";
const claudePlan: NpmPlan = {
  type: "npm",
  packages: [`${claudeSdk}@${claudeSdkVersion}`],
  program: null,
  runsScripts: false,
};
