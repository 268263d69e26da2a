// Formats statistics in two tables: turns and tool calls, with counts and durations.
import { duration, type StatsRow, type ToolCallStatsRow, type TurnStatsRow } from "@signalbox/protocol";
import { count, money } from "@signalbox/protocol/sizes";
import type { Layout } from "./layout.ts";
import { type Column, formatTable } from "./table.ts";

export type StatsGroup = "day" | "agent" | "kind" | "tool";

const barWidth = 20;

export function formatStats(rows: readonly StatsRow[], by: StatsGroup, layout: Layout): string {
  const turns = rows.filter((row) => row.stat === "turns");
  const calls = rows.filter((row) => row.stat === "tool_calls");
  const sections = [
    turns.length === 0
      ? ""
      : `${layout.paint.bold("Turns")}\n${formatTable(turns, makeTurnColumns(turns, by, layout), layout)}`,
    calls.length === 0
      ? ""
      : `${layout.paint.bold("Tool calls")}\n${formatTable(calls, makeCallColumns(calls, by, layout), layout)}`,
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function makeTurnColumns(
  rows: readonly TurnStatsRow[],
  by: StatsGroup,
  layout: Layout,
): readonly Column<TurnStatsRow>[] {
  const tokens: Column<TurnStatsRow>[] = rows.some((row) => row.total_tokens + row.input_tokens + row.output_tokens > 0)
    ? [
        { heading: "TOKENS IN", cell: (row) => count(row.input_tokens), align: "right", dropOrder: 3 },
        { heading: "OUT", cell: (row) => count(row.output_tokens), align: "right", dropOrder: 3 },
      ]
    : [];
  const cost: Column<TurnStatsRow>[] = rows.some((row) => row.cost > 0)
    ? [{ heading: "COST", cell: formatCost, align: "right", dropOrder: 2 }]
    : [];
  return [
    ...makeCommonColumns(
      by === "kind" || by === "tool" ? "ALL" : by,
      ({ day, agent_id }) => day ?? agent_id ?? "all",
      rows,
      layout,
    ),
    ...tokens,
    ...cost,
  ];
}

function makeCallColumns(
  rows: readonly ToolCallStatsRow[],
  by: StatsGroup,
  layout: Layout,
): readonly Column<ToolCallStatsRow>[] {
  const unnamed = by === "tool" ? "(no name)" : "all";
  const waited: Column<ToolCallStatsRow>[] = rows.some((row) => row.asked > 0)
    ? [
        {
          heading: "WAITED",
          cell: ({ asked, waited_ms }) => (asked === 0 ? "" : duration(waited_ms)),
          align: "right",
          dropOrder: 5,
        },
      ]
    : [];
  return [
    ...makeCommonColumns(
      by,
      ({ day, agent_id, kind, name }) => day ?? agent_id ?? kind ?? name ?? unnamed,
      rows,
      layout,
    ),
    ...waited,
  ];
}

function makeCommonColumns<Row extends StatsRow>(
  heading: string,
  name: (row: Row) => string,
  rows: readonly Row[],
  layout: Layout,
): Column<Row>[] {
  const maxCount = Math.max(1, ...rows.map((row) => row.count));
  const bar: Column<Row> = {
    heading: "",
    cell: (row) => "█".repeat(Math.max(1, Math.round((row.count / maxCount) * barWidth))),
    dropOrder: 6,
    paint: (_row, paint) => paint.cyan,
  };
  return [
    { heading: heading.toUpperCase(), cell: name, minWidth: 10 },
    { heading: "COUNT", cell: (row) => String(row.count), align: "right" },
    // Bars are for people; a program reads the number.
    ...(layout.isTerminal && rows.length > 1 ? [bar] : []),
    {
      heading: "FAILED",
      cell: ({ failed }) => String(failed),
      align: "right",
      dropOrder: 4,
      paint: ({ failed }, paint) => (failed > 0 ? paint.red : paint.dim),
    },
    {
      heading: "MEDIAN",
      cell: ({ median_ms }) => (median_ms === null ? "" : duration(median_ms)),
      align: "right",
      dropOrder: 5,
    },
    { heading: "P95", cell: ({ p95_ms }) => (p95_ms === null ? "" : duration(p95_ms)), align: "right", dropOrder: 5 },
  ];
}

function formatCost({ cost, currency }: TurnStatsRow): string {
  return cost === 0 ? "" : money(cost, currency ?? "");
}
