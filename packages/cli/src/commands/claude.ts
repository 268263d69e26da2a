// `signalbox claude` runs Claude Code on stdio. stdout carries ACP and nothing else.
import { runClaude } from "@signalbox/claude-agent";
import { command, exitCodes } from "../command.ts";

export const claude = command({
  usage: "signalbox claude",
  about:
    "Runs Claude Code over the Agent Client Protocol on stdin and stdout. Its file and command tools go through the client. Needs the Claude Agent SDK, which is installed separately: see docs/claude.md.",
  flags: {},
  async run(_flags, { version }) {
    await runClaude({ version });
    process.exit(exitCodes.ok);
  },
});
