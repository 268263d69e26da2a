import type { AgentRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { formatAgents } from "./agents-report.ts";
import { type Layout, plain } from "./layout.ts";

const terminal = (width: number): Layout => ({ isTerminal: true, width, paint: plain, now: 0 });
const install = "npm install -g @agentclientprotocol/claude-agent-acp@0.99.1";
const agents: readonly AgentRow[] = [
  {
    id: "claude-code",
    label: "Claude Code",
    readiness: "not_installed",
    reason: "Not installed.",
    version: null,
    install,
    login: null,
    program: null,
  },
  {
    id: "demo",
    label: "Signalbox demo",
    readiness: "ready",
    reason: null,
    version: "0.1.0",
    install: null,
    login: null,
    program: "/bin/x",
  },
];

describe("the list of agents", () => {
  it("puts ready agents first", () => {
    expect(formatAgents(agents, terminal(120)).split("\n")[1]).toMatch(/^demo +ready +0\.1\.0/);
  });

  it.each([120, 80, 30])("never truncates the install command, at %i columns", (width) => {
    expect(formatAgents(agents, terminal(width))).toContain(install);
  });
});
