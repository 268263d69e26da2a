// `signalbox proxy -- CMD ARGS` records what an editor and an agent say to each other, and changes nothing of it.

import { UsageError } from "../arguments.ts";
import { runProxy } from "../bridge/proxy.ts";
import { command, registerFlags } from "../command.ts";
import { backgroundSeconds, describeHostStart } from "../host/start-host-process.ts";

export const proxy = command({
  usage: "signalbox proxy [flags] -- CMD ARGS…",
  about: [
    "Starts an agent's command and stands between it and your editor. Every byte passes unchanged; the sessions are in the register and on the page,",
    "where they can be read. Prompts and permissions stay with the editor. If Signalbox fails, the conversation goes on, and stderr says so.",
  ].join("\n"),
  flags: {
    name: { type: "string", value: "NAME", help: "the agent's name in the register (default: the program's)" },
    ...registerFlags,
  },
  words: { name: "CMD", min: 0, max: 0, commandAfterDashes: true },
  examples: [
    ["signalbox proxy -- my-agent --acp", "the command line for an editor's settings, in place of `my-agent --acp`"],
  ],
  async run(flags, program, { after }) {
    const [agent, ...args] = after ?? [];
    if (agent === undefined) throw new UsageError("The agent's command is missing: signalbox proxy -- CMD ARGS.");
    const end = await runProxy({
      dataFolder: flags["data-dir"],
      start: describeHostStart(program, backgroundSeconds),
      command: agent,
      args,
      name: flags.name,
      input: process.stdin,
      output: process.stdout,
      onProblem: (problem) => console.error(`signalbox proxy: ${problem}`),
    });
    // The caller sees the same end as without us.
    if (end.type === "signal") process.kill(process.pid, end.signal);
    return end.type === "exit" ? end.code : 1;
  },
});
