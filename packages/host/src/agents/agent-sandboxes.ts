// Lists what each known agent needs to run inside the sandbox: the folders in which it keeps its state, the settings that it may only read, the
// hosts of its model and log-in, and how its own sandbox and its updates are turned off. docs/agents.md says which were tried.
import type { AgentPlace, AgentSandbox } from "./registry.ts";

const inHome = (path: string): AgentPlace => ({ in: "home", path });
const inConfig = (path: string): AgentPlace => ({ in: "config", path });
const inData = (path: string): AgentPlace => ({ in: "data", path });
const inState = (path: string): AgentPlace => ({ in: "state", path });
const inCache = (path: string): AgentPlace => ({ in: "cache", path });

const openAiHosts = ["api.openai.com", "chatgpt.com", "auth.openai.com"];

const codexState = {
  place: { ...inHome(".codex"), variable: "CODEX_HOME" },
  readOnly: ["config.toml", "rules/", "prompts/"],
  readOnlyIfThere: ["hooks.json", "skills"],
};

export const agentSandboxes: Readonly<Record<string, AgentSandbox>> = {
  "claude-code": {
    byDefault: true,
    state: [
      {
        place: { ...inHome(".claude"), variable: "CLAUDE_CONFIG_DIR" },
        readOnly: ["settings.json", "hooks/", "commands/", "agents/", "skills/"],
        // Its settings say which plugins are on.
        readOnlyIfThere: ["plugins"],
        // It replaces this file by rename, which needs its folder: so the file moves into the one that it may write.
        movesIn: ".claude.json",
      },
    ],
    // Its own sandbox cannot start inside this one.
    env: { DISABLE_AUTOUPDATER: "1" },
    hosts: ["api.anthropic.com", "platform.claude.com", "claude.ai"],
  },
  codex: {
    // Its own sandbox cannot start inside this one, and without its own it asks for nothing.
    byDefault: false,
    state: [codexState],
    env: { INITIAL_AGENT_MODE: "agent-full-access" },
    args: ["-c", "sandbox_mode=danger-full-access"],
    hosts: openAiHosts,
  },
  "codex-native": {
    byDefault: false,
    state: [codexState],
    args: ["-c", "sandbox_mode=danger-full-access"],
    hosts: openAiHosts,
  },
  gemini: {
    byDefault: false,
    state: [{ place: inHome(".gemini"), readOnly: ["settings.json", ".env", "extensions/", "commands/"] }],
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
    byDefault: false,
    state: [{ place: inData("opencode") }, { place: inState("opencode") }, { place: inCache("opencode") }],
    readable: [inConfig("opencode")],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    hosts: ["opencode.ai", "models.dev"],
  },
  goose: {
    byDefault: true,
    state: [{ place: inData("goose") }, { place: inState("goose") }],
    readable: [inConfig("goose")],
    hosts: [],
  },
  qwen: {
    byDefault: true,
    state: [{ place: inHome(".qwen"), readOnly: ["settings.json", ".env", "extensions/", "commands/"] }],
    movedBy: ["QWEN_HOME"],
    env: { QWEN_SANDBOX: "false", GEMINI_SANDBOX: "false" },
    hosts: ["dashscope.aliyuncs.com", "chat.qwen.ai"],
  },
  copilot: {
    byDefault: false,
    state: [{ place: inHome(".copilot"), readOnlyIfThere: ["mcp-config.json"] }],
    readable: [inCache("copilot"), inConfig("github-copilot")],
    movedBy: ["COPILOT_HOME"],
    env: { COPILOT_AUTO_UPDATE: "false" },
    hosts: ["api.githubcopilot.com", "api.github.com", "github.com"],
  },
  cline: {
    byDefault: false,
    state: [{ place: inHome(".cline"), readOnlyIfThere: ["data/settings/providers.json"] }],
    movedBy: ["CLINE_DIR"],
    env: { CLINE_NO_AUTO_UPDATE: "1" },
    hosts: ["api.cline.bot", "app.cline.bot"],
  },
  grok: {
    byDefault: false,
    state: [
      { place: inHome(".grok"), readOnly: ["config.toml", "hooks/", "bin/"], readOnlyIfThere: ["user-settings.json"] },
    ],
    movedBy: ["GROK_HOME"],
    env: { GROK_DISABLE_AUTOUPDATER: "1", GROK_SANDBOX: "off" },
    hosts: ["api.x.ai", "cli-chat-proxy.grok.com", "auth.x.ai", "accounts.x.ai"],
  },
  nanocoder: {
    byDefault: false,
    state: [{ place: inData("nanocoder") }],
    readable: [inConfig("nanocoder")],
    hosts: ["models.dev"],
  },
  pi: {
    byDefault: true,
    state: [
      {
        place: inHome(".pi"),
        // In `bin` are programs that it downloads and runs; in `models.json` may be commands.
        readOnly: ["agent/settings.json", "agent/models.json", "agent/extensions/", "agent/bin/"],
        readOnlyIfThere: ["agent/hooks", "agent/tools"],
      },
    ],
    hosts: [],
  },
};
