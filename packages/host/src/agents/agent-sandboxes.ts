// Lists what each known agent needs to run inside the sandbox: the folders in which it keeps its state and what each name in them is, the hosts of
// its model and log-in, and how its own sandbox and its updates are turned off. docs/agents.md says which were tried.
import type { AgentPlace, AgentSandbox, StateFolder } from "./registry.ts";

const inHome = (path: string): AgentPlace => ({ in: "home", path });
const inConfig = (path: string): AgentPlace => ({ in: "config", path });
const inData = (path: string): AgentPlace => ({ in: "data", path });
const inState = (path: string): AgentPlace => ({ in: "state", path });
const inCache = (path: string): AgentPlace => ({ in: "cache", path });

/** Names without a space, in one line. */
const words = (text: string): readonly string[] => text.split(" ");

const openAiHosts = ["api.openai.com", "chatgpt.com", "auth.openai.com"];

const codexState: StateFolder = {
  place: { ...inHome(".codex"), variable: "CODEX_HOME" },
  data: words(
    "sessions archived_sessions *.sqlite *.sqlite-* *.db installation_id thread-writer-locks .sandbox_migration history.jsonl session_index.jsonl log logs models_cache.json version.json .codex-global-state.json auth.json memories cloud-requirements-cache.json",
  ),
  obeyed: words("config.toml .env hooks.json rules prompts skills vendor_imports AGENTS.md plugins .tmp"),
  programs: words("shell_snapshots tmp packages bin"),
  seed: ["config.toml", "auth.json"],
  logIns: ["auth.json"],
};

/** An agent whose folders are not known. Where a person chooses it, it runs inside with nothing but a private home. */
function untried(because: string): AgentSandbox {
  return { outsideBecause: `It was not tried inside: ${because}.`, state: [], hosts: [] };
}

export const agentSandboxes: Readonly<Record<string, AgentSandbox>> = {
  "claude-code": {
    state: [
      {
        place: { ...inHome(".claude"), variable: "CLAUDE_CONFIG_DIR" },
        data: words(
          "projects sessions backups todos tasks file-history history.jsonl statsig telemetry debug logs usage-data paste-cache image-cache cache plans stats-cache.json policy-limits.json mcp-needs-auth-cache.json .last-cleanup .credentials.json",
        ),
        obeyed: words(
          ".claude.json .claude.json.* settings.json settings.local.json remote-settings.json session-env plugins hooks commands agents skills workflows rules scheduled_tasks.json CLAUDE.md ide",
        ),
        programs: words("shell-snapshots local chrome downloads"),
        seed: words("settings.json .credentials.json CLAUDE.md .claude.json"),
        logIns: [".credentials.json"],
        sessions: {
          files: "projects/*/*.jsonl",
          lineTypes: words("user assistant system summary attachment"),
          dropped: ["permissionMode"],
        },
      },
    ],
    homeFiles: [".claude.json"],
    // Its own sandbox cannot start inside this one.
    env: { DISABLE_AUTOUPDATER: "1" },
    hosts: ["api.anthropic.com", "platform.claude.com", "claude.ai"],
  },
  codex: {
    state: [codexState],
    // Its own sandbox cannot start inside this one.
    note: "Its own sandbox is off, so it runs commands and edits files without a question. To have its own sandbox and its questions instead, start the thread outside: set `sandbox` to false for it.",
    env: { INITIAL_AGENT_MODE: "agent-full-access" },
    args: ["-c", "sandbox_mode=danger-full-access"],
    hosts: openAiHosts,
  },
  "codex-native": {
    state: [codexState],
    // Its own sandbox cannot start inside this one. Without it, it asks only if it trusts nothing.
    args: ["-c", "sandbox_mode=danger-full-access", "-c", "approval_policy=untrusted"],
    hosts: openAiHosts,
  },
  gemini: {
    state: [
      {
        place: inHome(".gemini"),
        data: words(
          "tmp history projects.json projects.json.* installation_id user_id state.json oauth_creds.json google_accounts.json mcp-oauth-tokens.json",
        ),
        obeyed: words(
          "settings.json policies trustedFolders.json .env extensions commands GEMINI.md skills agents hooks",
        ),
        seed: words("settings.json oauth_creds.json google_accounts.json .env GEMINI.md"),
        logIns: ["oauth_creds.json"],
      },
    ],
    movedBy: ["GEMINI_CLI_HOME"],
    env: { GEMINI_SANDBOX: "false" },
    hosts: [
      "generativelanguage.googleapis.com",
      "cloudcode-pa.googleapis.com",
      "oauth2.googleapis.com",
      "accounts.google.com",
    ],
  },
  opencode: {
    state: [
      {
        place: inData("opencode"),
        data: words("*.db *.db-* log storage project tool-output worktree auth.json mcp-auth.json"),
        obeyed: ["snapshot", "repos"],
        programs: ["bin"],
        seed: ["auth.json", "mcp-auth.json"],
        logIns: ["auth.json"],
      },
      { place: inState("opencode"), data: ["*"], obeyed: [] },
      {
        place: inCache("opencode"),
        data: ["version", "models.json"],
        obeyed: ["package.json", "package-lock.json", "bun.lock"],
        programs: ["bin", "node_modules", "packages"],
      },
      {
        place: inConfig("opencode"),
        data: [".gitignore"],
        obeyed: words("*.json *.jsonc bun.lock plugin plugins command agent AGENTS.md"),
        programs: ["node_modules"],
        seed: words("opencode.json opencode.jsonc config.json AGENTS.md"),
      },
    ],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    hosts: ["opencode.ai", "models.dev"],
  },
  goose: {
    state: [
      {
        place: inData("goose"),
        data: ["sessions", "projects.json", "memory"],
        obeyed: ["schedule.json", "recipes", "skills"],
        programs: ["apps"],
      },
      { place: inState("goose"), data: ["logs", "history.txt", "telemetry_installation.json"], obeyed: [] },
      {
        place: inConfig("goose"),
        data: ["secrets.yaml", "installation.json"],
        obeyed: words("*.yaml *.json .goosehints memory recipes custom_providers prompts permissions"),
        seed: ["config.yaml", "secrets.yaml", "custom_providers"],
      },
    ],
    hosts: [],
  },
  qwen: {
    state: [
      {
        place: { ...inHome(".qwen"), variable: "QWEN_HOME" },
        data: words(
          "projects sessions file-history memories usage tmp todos debug history installation_id oauth_creds.json *_record.jsonl .openai-logs-cleanup-* telemetry source.json",
        ),
        obeyed: words(
          "settings.json settings.json.* .env extensions extension-store output-language.md trustedFolders.json commands skills agents QWEN.md",
        ),
        programs: ["locales"],
        seed: words("settings.json oauth_creds.json .env QWEN.md"),
        logIns: ["oauth_creds.json"],
      },
    ],
    env: { QWEN_SANDBOX: "false", GEMINI_SANDBOX: "false" },
    hosts: ["dashscope.aliyuncs.com", "chat.qwen.ai"],
  },
  copilot: {
    state: [
      {
        place: { ...inHome(".copilot"), variable: "COPILOT_HOME" },
        data: words("session-state logs history-session-state *.db *.db-* locks ide crash-context"),
        obeyed: words(
          "config.json settings.json settings.json.* mcp-config.json hooks installed-plugins skills agents copilot-instructions.md",
        ),
        programs: ["pkg"],
        seed: ["config.json", "settings.json"],
      },
      { place: inCache("copilot"), data: [], obeyed: [], programs: ["pkg"] },
      { place: inConfig("github-copilot"), data: ["*"], obeyed: [], seed: ["apps.json", "hosts.json"] },
    ],
    env: { COPILOT_AUTO_UPDATE: "false" },
    hosts: ["api.githubcopilot.com", "api.github.com", "github.com"],
  },
  cline: {
    state: [
      {
        place: { ...inHome(".cline"), variable: "CLINE_DIR" },
        data: words("data/sessions data/db data/logs data/cache data/locks data/tasks data/state data/workspaces logs"),
        obeyed: words("data/settings data/globalState.json data/secrets.json rules skills workflows"),
        programs: ["hooks", "data/plugins", "bin"],
        seed: ["data/settings/providers.json", "data/globalState.json", "data/secrets.json"],
      },
    ],
    env: { CLINE_NO_AUTO_UPDATE: "1" },
    hosts: ["api.cline.bot", "app.cline.bot"],
  },
  grok: {
    state: [
      {
        place: { ...inHome(".grok"), variable: "GROK_HOME" },
        data: words(
          "sessions logs models_cache.json agent_id docs README.md .metadata_version *.db *.db-* *.lock version.json auth.json",
        ),
        obeyed: words("config.toml managed_config* user-settings.json installed-plugins skills marketplaces bundled"),
        programs: ["hooks", "bin", "vendor"],
        seed: ["config.toml", "auth.json", "user-settings.json"],
        logIns: ["auth.json"],
      },
    ],
    env: { GROK_DISABLE_AUTOUPDATER: "1", GROK_SANDBOX: "off" },
    hosts: ["api.x.ai", "cli-chat-proxy.grok.com", "auth.x.ai", "accounts.x.ai"],
  },
  nanocoder: {
    state: [
      { place: inData("nanocoder"), data: ["*"], obeyed: [] },
      {
        place: inConfig("nanocoder"),
        data: ["codex-credentials.json", "copilot-credentials.json", "usage.json"],
        obeyed: words("agents.config.json nanocoder-preferences.json .mcp.json commands"),
        seed: words("agents.config.json nanocoder-preferences.json codex-credentials.json copilot-credentials.json"),
      },
    ],
    hosts: ["models.dev"],
  },
  pi: {
    state: [
      {
        place: inHome(".pi"),
        data: words("agent/sessions pi-acp agent/models-store.json agent/auth.json agent/*.lock"),
        obeyed: words(
          "agent/models.json agent/settings.json agent/trust.json agent/AGENTS.md agent/prompts agent/skills agent/themes",
        ),
        // A log-in of pi can name a command, so none goes back that does.
        programs: words("agent/bin agent/extensions agent/git agent/npm agent/hooks agent/tools"),
        seed: words("agent/models.json agent/settings.json agent/auth.json agent/AGENTS.md"),
        logIns: ["agent/auth.json"],
        sessions: {
          files: "agent/sessions/*/*.jsonl",
          lineTypes: words("session message model_change thinking_level_change compaction branch_summary"),
          dropped: [],
        },
      },
    ],
    hosts: [],
  },
  auggie: untried("it works only with a log-in to its own service"),
  droid: untried("it needs a log-in"),
  qoder: untried("it needs a log-in"),
};
