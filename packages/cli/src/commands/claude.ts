// `signalbox claude`: Claude Code on stdio. stdout carries ACP and nothing else.
import { runClaude } from "@signalbox/claude-agent";
import { command, exitCodes } from "../command.ts";

export const claude = command({
  usage: "signalbox claude",
  about:
    "Speaks the Agent Client Protocol on stdin and stdout; Claude Code does the work, and its files and commands go through the client. Needs the Claude Agent SDK, which is installed separately: docs/claude.md tells how.",
  flags: {},
  async run(_flags, { version }) {
    await runClaude({ version });
    process.exit(exitCodes.ok);
  },
});
