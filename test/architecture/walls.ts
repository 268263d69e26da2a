// The walls of the house: which room may import which. ARCHITECTURE.md draws the same picture.

/** Package → packages it may import. Agent and host meet only over ACP. */
export const packageWalls: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  "tool-calls": [],
  sandbox: [],
  tinyvex: ["protocol"],
  host: ["tinyvex", "sandbox", "protocol"],
  agent: ["tool-calls", "sandbox"],
  "claude-agent": ["tool-calls"],
  ui: ["protocol"],
  cli: ["host", "agent", "claude-agent"],
};

/** Folder → sibling folders it may import. Files directly in `src` are the composition roots and may import all. */
export const folderWalls: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  host: {
    data: [],
    config: ["data"],
    agents: ["data"],
    permissions: ["data"],
    acp: ["permissions", "data"],
    sessions: ["acp", "agents", "permissions", "config", "data"],
    server: ["sessions", "agents", "permissions", "config", "data", "reports", "import"],
    client: ["data"],
    reports: [],
    import: ["data"],
  },
  agent: {
    providers: [],
    tools: [],
    skills: [],
    mcp: ["tools"],
    config: ["providers"],
    routing: ["providers"],
    loop: ["providers", "tools"],
    sessions: ["loop", "routing", "config", "mcp", "skills", "tools", "providers"],
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
export const browserSafe: readonly string[] = ["protocol", "ui"];

/** Split a file by reason to change before it gets here. */
export const longestFile = 400;
