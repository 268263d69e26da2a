// `signalbox claude` runs Claude Code on stdio. stdout carries ACP and nothing else.
import { join } from "node:path";
import { runClaude, runProjectServer } from "@signalbox/claude-agent";
import { defaultDataFolder, loadConfig, secretVariables } from "@signalbox/config";
import { RuleStore } from "@signalbox/host/data";
import { command, exitCodes } from "../command.ts";
import { describeProgram } from "../describe-program.ts";

export const claude = command({
  usage: "signalbox claude",
  about:
    "Runs Claude Code over the Agent Client Protocol on stdin and stdout. Its file and command tools go through the client. Needs the Claude Agent SDK, which is installed separately: see docs/claude.md.",
  flags: {
    "project-server": {
      type: "boolean",
      help: "run an MCP server of the project in the sandbox; Signalbox itself uses this",
    },
  },
  async run(flags, program) {
    if (flags["project-server"]) process.exit(await runProjectServer({ agentId: "claude", readRules }));
    const { command: node, args, version } = describeProgram(program);
    const { config } = loadConfig(join(defaultDataFolder(), "config.json"));
    await runClaude({ version, ownProgram: [node, ...args], secretNames: secretVariables(config) });
    process.exit(exitCodes.ok);
  },
});

/** Those of the config, and remembered answers. Throws for a config that cannot be read: then nobody knows what is denied. */
function readRules(dataFolder: string, cwd: string) {
  const { permissions } = loadConfig(join(dataFolder, "config.json")).inProject(cwd).config;
  const remembered = new RuleStore(join(dataFolder, "permissions.json"), (problem) => console.error(problem));
  return [...permissions, ...remembered.list()];
}
