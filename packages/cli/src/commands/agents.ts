// `signalbox agents` lists the agents with version and state. It starts none of them.
import { openDiagnostics } from "@signalbox/host";
import { agentsReport } from "@signalbox/host/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { Output } from "../output.ts";
import { ownProgram } from "../own-program.ts";
import { Progress } from "../progress.ts";

export const agents = command({
  usage: "signalbox agents [flags]",
  about:
    "Lists known agents and those in your config.json, and how to install the missing ones. `signalbox doctor AGENT` starts one to test it.",
  flags: {
    installed: { type: "boolean", help: "only installed agents" },
    ...jsonFlag("one agent per line"),
    ...registerFlags,
  },
  examples: [
    ["signalbox agents", "installed agents, and how to install the others"],
    ["signalbox agents --json | jq -r 'select(.readiness == \"ready\").id'", "the ids for `signalbox run --agent ID`"],
  ],
  async run(flags, program) {
    const output = new Output();
    const { readiness } = openDiagnostics(flags["data-dir"], ownProgram(program));
    using progress = new Progress("Looking for agents …");
    const all = await readiness.rows({ versions: true });
    progress[Symbol.dispose]();
    const rows = flags.installed ? all.filter((row) => row.readiness !== "not_installed") : all;
    if (flags.json) await output.all(rows.map((row) => `${JSON.stringify(row)}\n`));
    else output.write(agentsReport(rows, output.layout));
    return exitCodes.ok;
  },
});
