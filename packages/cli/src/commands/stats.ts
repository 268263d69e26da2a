// `signalbox stats` counts turns and tool calls, with durations, tokens and cost.

import { formatStats, type StatsGroup } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { whileShowing } from "../progress.ts";
import { openForReading } from "../register/open-for-reading.ts";

const defaultDays = 30;
const dayMilliseconds = 86_400_000;
const groupings: readonly StatsGroup[] = ["day", "agent", "kind", "tool"];
const columns = { day: "day", agent: "agent_id", kind: "kind", tool: "name" } as const;
const defaultColumns = [columns.day, columns.agent, columns.kind];

export const stats = command({
  usage: "signalbox stats [flags]",
  about: "Counts finished turns and tool calls, with durations, and with tokens and cost where the agent reports them.",
  flags: {
    by: {
      type: "string",
      value: "WHAT",
      choices: groupings,
      help: "group by day, agent, kind of tool or tool (default agent)",
    },
    days: { type: "number", value: "N", min: 1, max: 36_500, help: `the last N days (default ${defaultDays})` },
    agent: { type: "string", value: "ID", help: "only this agent" },
    ...jsonFlag("one row per line, grouped by day, agent and kind unless --by is given"),
    ...registerFlags,
  },
  examples: [
    ["signalbox stats", "the last 30 days by agent"],
    ["signalbox stats --by kind --agent claude", "one agent's tool calls by kind"],
    ["signalbox stats --by tool", "how often each tool was called"],
  ],
  async run(flags) {
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const by = groupings.find((grouping) => grouping === flags.by) ?? "agent";
      const days = flags.days ?? defaultDays;
      const args = {
        group_by: flags.json && flags.by === undefined ? defaultColumns : [columns[by]],
        since: Date.now() - days * dayMilliseconds,
        utc_offset_minutes: -new Date().getTimezoneOffset(),
        ...(flags.agent === undefined ? {} : { agent_id: flags.agent }),
      };
      const { rows: counted } = await whileShowing("Counting …", () => register.query("stats", args));
      if (flags.json) await output.all(counted.map((row) => `${JSON.stringify(row)}\n`));
      else if (counted.some(({ count }) => count > 0)) output.write(formatStats(counted, by, output.layout));
      else output.line(`No finished turns or tool calls in the last ${days} days. Use --days N to see older ones.`);
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});
