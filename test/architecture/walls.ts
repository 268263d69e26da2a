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
    agents: ["data"],
    sessions: ["agents", "data"],
    server: ["sessions", "agents", "data"],
  },
  agent: {
    providers: [],
    loop: ["providers"],
    sessions: ["loop", "providers"],
    acp: ["sessions", "providers"],
  },
};

/** Packages that also run in a browser: nothing of Node in them. */
export const browserSafe: readonly string[] = ["protocol", "ui"];

/** Split a file by reason to change before it gets here. */
export const longestFile = 400;
