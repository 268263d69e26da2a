// `signalbox agents` lists the agents with version and state, and starts none of them. `agents install` installs one and tests it.
import { type AgentTestRow, type Diagnostics, openDiagnostics } from "@signalbox/host";
import { formatAgents, formatAgentTest } from "@signalbox/reports";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { describeProgram } from "../describe-program.ts";
import { knownAgent } from "../known-agent.ts";
import { Output } from "../output.ts";
import { Progress } from "../progress.ts";

export const agents = command({
  usage: "signalbox agents [install AGENT] [flags]",
  about:
    "Lists known agents and those in your config.json, and how to install the missing ones. `install` installs one into Signalbox's own folder and tests it. `signalbox doctor AGENT` starts one to test it.",
  words: { name: "install AGENT", min: 0, max: 2 },
  flags: {
    installed: { type: "boolean", help: "only installed agents" },
    ...jsonFlag("one agent per line; with install, its test"),
    ...registerFlags,
  },
  examples: [
    ["signalbox agents", "installed agents, and how to install the others"],
    ["signalbox agents install gemini", "install one, in a pinned version"],
    ["signalbox agents --json | jq -r 'select(.readiness == \"ready\").id'", "the ids for `signalbox run --agent ID`"],
  ],
  async run(flags, program, { given: [verb, wanted] }) {
    const output = new Output();
    const diagnostics = openDiagnostics(flags["data-dir"], describeProgram(program));
    if (verb !== undefined) {
      if (verb !== "install" || wanted === undefined)
        throw new UsageError("To install an agent: signalbox agents install AGENT. `signalbox agents` lists them.");
      const test = await install(diagnostics, wanted);
      output.write(flags.json ? `${JSON.stringify(test)}\n` : formatAgentTest(test, output.layout));
      return test.readiness === "ready" || test.readiness === "needs_login" ? exitCodes.ok : exitCodes.failed;
    }
    using progress = new Progress("Looking for agents …");
    const all = await diagnostics.readiness.listRows({ versions: true });
    progress[Symbol.dispose]();
    const rows = flags.installed ? all.filter((row) => row.readiness !== "not_installed") : all;
    if (flags.json) await output.all(rows.map((row) => `${JSON.stringify(row)}\n`));
    else output.write(formatAgents(rows, output.layout));
    return exitCodes.ok;
  },
});

async function install(diagnostics: Diagnostics, id: string): Promise<AgentTestRow> {
  const { readiness, installer } = diagnostics;
  const agent = knownAgent(diagnostics, id);
  const rows = await readiness.listRows();
  const warning = rows.find((row) => row.id === id)?.install_warning ?? null;
  for (const line of [agent.install, warning]) if (typeof line === "string") process.stderr.write(`${line}\n`);
  using progress = new Progress(`Installing ${agent.label} …`);
  await installer.install(agent, ({ message }) => progress.show(`Installing ${agent.label}: ${message}`));
  return await readiness.test(agent, { onStep: ({ message }) => progress.show(`Testing ${agent.label}: ${message}`) });
}
