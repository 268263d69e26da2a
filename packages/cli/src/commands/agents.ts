// `signalbox agents`: which agents are installed, in which version, ready or why not. Starts none of them.
import { agentsReport, lookAround } from "@signalbox/host";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { Output } from "../output.ts";
import { ownProgram } from "../own-program.ts";
import { Progress } from "../progress.ts";

export const agents = command({
  usage: "signalbox agents [flags]",
  about:
    "Lists the agents Signalbox knows and those of your config.json, and what is missing. `signalbox doctor AGENT` tries one for real.",
  flags: {
    installed: { type: "boolean", help: "only those that are installed" },
    ...jsonFlag("one agent a line"),
    ...registerFlags,
  },
  examples: [
    ["signalbox agents", "what is there and how to get what is not"],
    ["signalbox agents --json | jq -r 'select(.readiness == \"ready\").id'", "the ids for `signalbox run --agent ID`"],
  ],
  async run(flags, program) {
    const output = new Output();
    const { readiness } = lookAround(flags["data-dir"], ownProgram(program));
    using progress = new Progress("Looking for agents …");
    const all = await readiness.rows({ versions: true });
    progress[Symbol.dispose]();
    const rows = flags.installed ? all.filter((row) => row.readiness !== "not_installed") : all;
    if (flags.json) await output.all(rows.map((row) => `${JSON.stringify(row)}\n`));
    else output.write(agentsReport(rows, output.look));
    return exitCodes.ok;
  },
});
