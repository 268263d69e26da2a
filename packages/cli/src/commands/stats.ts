// `signalbox stats`: how many turns and tool calls, how long they took, what they cost.
import { openForReading, type StatsGrouping, type StatsRow, statsReport } from "@signalbox/host";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { whileShowing } from "../progress.ts";

const defaultDays = 30;
const dayMilliseconds = 86_400_000;
const groupings: readonly StatsGrouping[] = ["day", "agent", "kind"];
const columns = { day: "day", agent: "agent_id", kind: "kind" } as const;

export const stats = command({
  usage: "signalbox stats [flags]",
  about: "Counts turns and tool calls that ended, with their durations, tokens and cost where agents tell them.",
  flags: {
    by: {
      type: "string",
      value: "WHAT",
      choices: groupings,
      help: "one row for each day, agent or kind of tool (default agent)",
    },
    days: { type: "number", value: "N", min: 1, max: 36_500, help: `the last N days (default ${defaultDays})` },
    agent: { type: "string", value: "ID", help: "only this agent" },
    ...jsonFlag("one row a line, grouped by day, agent and kind unless --by says otherwise"),
    ...registerFlags,
  },
  examples: [
    ["signalbox stats", "the last 30 days, one row for each agent"],
    ["signalbox stats --by kind --agent claude", "what Claude Code's tools did and how long they took"],
  ],
  async run(flags) {
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const by = groupings.find((grouping) => grouping === flags.by) ?? "agent";
      const days = flags.days ?? defaultDays;
      const args = {
        group_by: flags.json && flags.by === undefined ? Object.values(columns) : [columns[by]],
        since: Date.now() - days * dayMilliseconds,
        utc_offset_minutes: -new Date().getTimezoneOffset(),
        ...(flags.agent === undefined ? {} : { agent_id: flags.agent }),
      };
      const { rows } = await whileShowing("Counting …", () => register.query("stats", args));
      const counted = rows as unknown as readonly StatsRow[];
      if (flags.json) await output.all(counted.map((row) => `${JSON.stringify(row)}\n`));
      else if (counted.some(({ count }) => count > 0)) output.write(statsReport(counted, by, output.look));
      else output.line(`No turn and no tool call ended in the last ${days} days. --days N looks further back.`);
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});
