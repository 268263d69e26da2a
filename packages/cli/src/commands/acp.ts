// `signalbox acp` serves any registered agent to an editor on stdio, through the host. stdout carries ACP and nothing else.
import { openDiagnostics } from "@signalbox/host";
import { runAcpBridge } from "../bridge/acp-bridge.ts";
import { command, exitCodes, registerFlags } from "../command.ts";
import { describeProgram } from "../describe-program.ts";
import { backgroundSeconds, describeHostStart } from "../host/start-host-process.ts";
import { knownAgent } from "../known-agent.ts";

export const acp = command({
  usage: "signalbox acp [flags]",
  about: [
    "Serves any registered agent over the Agent Client Protocol on stdin and stdout, for an editor. Sessions are threads: they are in the register,",
    "on the page and under the rules. Connects to the running Signalbox, or starts one that stops when it is not used. See docs/editors.md.",
  ].join("\n"),
  flags: {
    agent: {
      type: "string",
      value: "ID",
      help: "agent of new sessions (default signalbox); `signalbox agents` lists them",
    },
    thread: { type: "string", value: "THREAD", help: "go on with this thread (or `last`) as the first session" },
    ...registerFlags,
  },
  examples: [
    ["signalbox acp --agent claude-code", "the command line for an editor's settings"],
    ["signalbox acp --thread last", "go on in the editor with the last active thread"],
  ],
  async run(flags, program) {
    // An editor whose settings name an agent that is not there shows this line, and not a connection that does nothing.
    if (flags.agent !== undefined)
      knownAgent(openDiagnostics(flags["data-dir"], describeProgram(program)), flags.agent);
    await runAcpBridge({
      dataFolder: flags["data-dir"],
      start: describeHostStart(program, backgroundSeconds),
      agentId: flags.agent,
      thread: flags.thread,
      input: process.stdin,
      output: process.stdout,
      onProblem: (problem) => console.error(problem),
    });
    return exitCodes.ok;
  },
});
