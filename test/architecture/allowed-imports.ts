// Lists which package, and which folder of a package, may import which. ARCHITECTURE.md draws the same picture.

/** Package → packages it may import. Host and agents meet over ACP; what both must understand alike is a package that both import. */
export const packageImports: Readonly<Record<string, readonly string[]>> = {
  base: [],
  rules: [],
  protocol: ["base", "rules"],
  sandbox: ["base"],
  "tool-calls": ["base", "rules"],
  config: ["rules", "sandbox"],
  "agent-kit": ["tool-calls", "sandbox", "rules"],
  tinyvex: ["protocol", "tool-calls"],
  checkpoints: ["base", "tinyvex", "sandbox", "protocol", "rules"],
  reports: ["tinyvex", "protocol", "config", "tool-calls"],
  "history-import": ["tinyvex", "protocol", "sandbox", "tool-calls"],
  "many-machines": ["base", "tinyvex", "protocol", "config", "tool-calls"],
  host: [
    "base",
    "tinyvex",
    "checkpoints",
    "reports",
    "history-import",
    "many-machines",
    "sandbox",
    "protocol",
    "rules",
    "config",
    "tool-calls",
  ],
  agent: ["base", "agent-kit", "tool-calls", "sandbox", "rules", "config"],
  "claude-agent": ["base", "agent-kit", "tool-calls"],
  client: ["protocol"],
  react: ["client", "protocol"],
  ui: ["protocol", "react", "rules"],
  cli: [
    "host",
    "client",
    "reports",
    "checkpoints",
    "many-machines",
    "tinyvex",
    "protocol",
    "config",
    "rules",
    "sandbox",
    "agent",
    "claude-agent",
  ],
};

/** Folder → sibling folders it may import. Files directly in `src` are the composition roots and may import all. */
export const folderImports: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  host: {
    data: [],
    devices: ["data"],
    agents: ["data"],
    permissions: ["data"],
    acp: ["permissions", "data"],
    sessions: ["acp", "agents", "permissions", "data"],
    "acp-server": ["sessions", "acp", "agents", "data"],
    server: ["acp-server", "sessions", "devices", "agents", "permissions", "data"],
  },
  checkpoints: {
    changes: [],
    git: ["changes"],
  },
  agent: {
    providers: [],
    tools: [],
    skills: [],
    mcp: ["tools"],
    routing: ["providers"],
    loop: ["providers", "tools"],
    sessions: ["loop", "routing", "mcp", "skills", "tools", "providers"],
    acp: ["sessions", "tools", "providers"],
  },
  "claude-agent": {
    errors: [],
    sdk: ["errors"],
    tools: ["sdk", "errors"],
    updates: ["sdk", "tools"],
    permissions: ["sdk", "tools", "updates"],
    sessions: ["sdk", "tools", "updates", "permissions", "errors"],
    acp: ["sessions", "tools", "permissions", "errors"],
  },
};

/** Packages that also run in a browser: nothing of Node in them. */
export const browserSafe: readonly string[] = ["base", "rules", "protocol", "client", "react", "ui"];

/** Split a file by reason to change before it gets here. */
export const maxFileLines = 400;
