// A home of its own for Claude Code, with the SDK where `signalbox claude` says to install it, and a model on loopback.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { sdkPackage, sdkVersion } from "@signalbox/claude-agent";
import { AgentHome } from "./agent-drive.ts";
import { installAgent, type RealAgent } from "./install-agents.ts";

/** No program: the file that says it is whole is the library itself. */
const claudeSdk: RealAgent = {
  npmPackage: sdkPackage,
  version: sdkVersion,
  program: join("..", sdkPackage, "sdk.mjs"),
};

export const claudeAcp: RealAgent = {
  npmPackage: "@agentclientprotocol/claude-agent-acp",
  version: "0.99.1",
  program: "claude-agent-acp",
};

/** Gives the node_modules that it is in. */
export async function installClaudeSdk(): Promise<string> {
  return join(await installAgent(claudeSdk), "..");
}

export class ClaudeHome extends AgentHome {
  readonly env: Readonly<Record<string, string>>;

  constructor(modules: string | null, url: string, rest: Readonly<Record<string, string>> = {}) {
    super("claude");
    mkdirSync(join(this.path, ".signalbox/claude"), { recursive: true });
    if (modules !== null) symlinkSync(modules, join(this.path, ".signalbox/claude/node_modules"));
    this.env = {
      PATH: process.env.PATH ?? "",
      HOME: this.path,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "not-a-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      ...rest,
    };
  }
}
