// What agents did and how long it took: turns and tool calls, counted in two tables.
import type { StatsRow, ToolCallStatsRow, TurnStatsRow } from "@signalbox/protocol";
import type { Look } from "./look.ts";
import { duration, short } from "./measures.ts";
import { type Column, table } from "./table.ts";

export type StatsGrouping = "day" | "agent" | "kind";

const barWidth = 20;

export function statsReport(rows: readonly StatsRow[], by: StatsGrouping, look: Look): string {
  const turns = rows.filter((row) => row.stat === "turns");
  const calls = rows.filter((row) => row.stat === "tool_calls");
  const sections = [
    turns.length === 0 ? "" : `${look.paint.bold("Turns")}\n${table(turns, turnColumns(turns, by, look), look)}`,
    calls.length === 0 ? "" : `${look.paint.bold("Tool calls")}\n${table(calls, callColumns(calls, by, look), look)}`,
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function turnColumns(rows: readonly TurnStatsRow[], by: StatsGrouping, look: Look): readonly Column<TurnStatsRow>[] {
  const tokens: Column<TurnStatsRow>[] = rows.some((row) => row.total_tokens + row.input_tokens + row.output_tokens > 0)
    ? [
        { heading: "TOKENS IN", cell: (row) => short(row.input_tokens), align: "right", goes: 3 },
        { heading: "OUT", cell: (row) => short(row.output_tokens), align: "right", goes: 3 },
      ]
    : [];
  const cost: Column<TurnStatsRow>[] = rows.some((row) => row.cost > 0)
    ? [{ heading: "COST", cell: costOf, align: "right", goes: 2 }]
    : [];
  return [
    ...common(by === "kind" ? "ALL" : by, ({ day, agent_id }) => day ?? agent_id ?? "all", rows, look),
    ...tokens,
    ...cost,
  ];
}

function callColumns(
  rows: readonly ToolCallStatsRow[],
  by: StatsGrouping,
  look: Look,
): readonly Column<ToolCallStatsRow>[] {
  return common(by, ({ day, agent_id, kind }) => day ?? agent_id ?? kind ?? "all", rows, look);
}

function common<Row extends StatsRow>(
  heading: string,
  name: (row: Row) => string,
  rows: readonly Row[],
  look: Look,
): Column<Row>[] {
  const most = Math.max(1, ...rows.map((row) => row.count));
  const bar: Column<Row> = {
    heading: "",
    cell: ({ count }) => "█".repeat(Math.max(1, Math.round((count / most) * barWidth))),
    goes: 6,
    paint: (_row, paint) => paint.cyan,
  };
  return [
    { heading: heading.toUpperCase(), cell: name, shrinksTo: 10 },
    { heading: "COUNT", cell: ({ count }) => String(count), align: "right" },
    // A picture for a person; a program has the number.
    ...(look.isTerminal && rows.length > 1 ? [bar] : []),
    {
      heading: "FAILED",
      cell: ({ failed }) => String(failed),
      align: "right",
      goes: 4,
      paint: ({ failed }, paint) => (failed > 0 ? paint.red : paint.dim),
    },
    { heading: "MEDIAN", cell: ({ median_ms }) => duration(median_ms), align: "right", goes: 5 },
    { heading: "95%", cell: ({ p95_ms }) => duration(p95_ms), align: "right", goes: 5 },
  ];
}

function costOf({ cost, currency }: TurnStatsRow): string {
  return cost === 0 ? "" : `${cost.toFixed(cost < 1 ? 4 : 2)} ${currency ?? ""}`.trim();
}
