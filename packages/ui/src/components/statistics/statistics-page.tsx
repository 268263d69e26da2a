// The Statistics view: calls and failures by kind and day, tokens and cost by agent and day, durations, busiest files.

import { duration, type StatsRow, type ToolCallStatsRow, type TurnStatsRow } from "@signalbox/protocol";
import { count, money } from "@signalbox/protocol/sizes";
import { useAgentLabel, useQuery } from "@signalbox/react";
import { useMemo, useState } from "react";
import { formatRoute } from "../../hooks/use-route.ts";
import { BudgetBars } from "../shared/budget-bars.tsx";
import { ListBox } from "../shared/list-box.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { BarChart } from "./bar-chart.tsx";
import { BusiestFiles } from "./busiest-files.tsx";
import { buildSeries, listDays, sum } from "./series.ts";
import { ThreadCosts } from "./thread-costs.tsx";

const periods = [7, 30, 90] as const;
const maxTools = 30;
type Period = (typeof periods)[number];

export default function StatisticsPage() {
  const [days, setDays] = useState<Period>(30);
  const range = useMemo(() => buildRange(days), [days]);
  const state = useQuery("stats", { ...range, group_by: ["day", "agent_id", "kind"] });
  const { rows } = state;
  return (
    <div className="page statistics">
      <header className="page-head">
        <h1>Statistics</h1>
        <a href={formatRoute({ page: "tool-calls" })}>All tool calls ›</a>
        <ListBox
          label="Period"
          value={String(days)}
          onChange={(chosen) => setDays(Number(chosen) as Period)}
          options={periods.map((period) => ({ value: String(period), name: `last ${period} days` }))}
        />
      </header>
      <LoadProblem what="The statistics" state={state} />
      {rows?.length === 0 && <p className="hint">No finished turns or tool calls in this period.</p>}
      {rows !== null && rows.length > 0 && (
        <>
          <Figures rows={rows} />
          <BudgetBars threadId={null} />
          <Charts rows={rows} days={listDays(days, range.until - 1)} />
          <ThreadCosts range={range} />
          <Durations range={range} days={days} by="name" />
          <Durations range={range} days={days} by="kind" />
          <BusiestFiles range={range} />
        </>
      )}
    </div>
  );
}

const isToolCalls = (row: StatsRow): row is ToolCallStatsRow => row.stat === "tool_calls";
const isTurns = (row: StatsRow): row is TurnStatsRow => row.stat === "turns";

/** The rows that have a cost, by currency. */
function sumCosts(turns: readonly TurnStatsRow[]) {
  return [
    ...Map.groupBy(
      turns.filter((row) => row.cost > 0),
      (row) => row.currency ?? "USD",
    ),
  ];
}

function Figures({ rows }: { rows: readonly StatsRow[] }) {
  const calls = rows.filter(isToolCalls);
  const turns = rows.filter(isTurns);
  const failed = sum(calls.map((row) => row.failed));
  const total = sum(calls.map((row) => row.count));
  const failedPart = total > 0 ? ` (${Math.round((failed / total) * 100)} %)` : "";
  return (
    <dl className="figures">
      <Figure name="tool calls" value={count(total)} />
      <Figure name="failed" value={`${count(failed)}${failedPart}`} />
      <Figure name="turns" value={count(sum(turns.map((row) => row.count)))} />
      <Figure name="tokens" value={count(sum(turns.map((row) => row.total_tokens)))} />
      {sumCosts(turns).map(([currency, members]) => (
        <Figure key={currency} name="cost" value={money(sum(members.map((row) => row.cost)), currency)} />
      ))}
    </dl>
  );
}

function Charts({ rows, days }: { rows: readonly StatsRow[]; days: readonly string[] }) {
  const labelOf = useAgentLabel();
  const calls = rows.filter(isToolCalls);
  const turns = rows.filter(isTurns);
  const byKind = (valueOf: (row: ToolCallStatsRow) => number) =>
    buildSeries(calls, days, (row) => row.kind ?? "other", valueOf);
  const byAgent = (members: readonly TurnStatsRow[], valueOf: (row: TurnStatsRow) => number) =>
    buildSeries(members, days, (row) => labelOf(row.agent_id ?? ""), valueOf);
  const callSeries = byKind((row) => row.count);
  return (
    <>
      <BarChart title="Tool calls by kind" days={days} series={callSeries} format={count} />
      <BarChart
        title="Failures by kind"
        days={days}
        series={byKind((row) => row.failed)}
        coloursOf={callSeries}
        format={count}
      />
      <BarChart title="Tokens by agent" days={days} series={byAgent(turns, (row) => row.total_tokens)} format={count} />
      {sumCosts(turns).map(([currency, members]) => (
        <BarChart
          key={currency}
          title={`Cost by agent, ${currency}`}
          days={days}
          series={byAgent(members, (row) => row.cost)}
          format={(value) => money(value, currency)}
        />
      ))}
    </>
  );
}

type Range = { readonly since: number; readonly until: number; readonly utc_offset_minutes: number };

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Calls of each tool or kind, the most frequent first. The time in which they waited for an answer stands apart from their own. */
function Durations({ range, days, by }: { range: Range; days: number; by: "kind" | "name" }) {
  const state = useQuery("stats", { ...range, group_by: [by] });
  const title = by === "kind" ? "Tool calls by kind" : "Tool calls by tool";
  const rows = (state.rows ?? [])
    .filter(isToolCalls)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, maxTools);
  const waited = rows.some((row) => row.asked > 0);
  const maxMs = Math.max(1, ...rows.map((row) => row.p95_ms ?? 0));
  if (rows.length === 0) return <LoadProblem what={title} state={state} />;
  return (
    <section className="chart">
      <h2>{title}, with durations</h2>
      <LoadProblem what={title} state={state} />
      <table>
        <thead>
          <tr>
            <th scope="col">{by === "kind" ? "kind" : "tool"}</th>
            <th scope="col">calls</th>
            <th scope="col">failed</th>
            <th scope="col">median</th>
            <th scope="col">p95</th>
            {waited && <th scope="col">waited for you</th>}
            <th scope="col">
              <span className="visually-hidden">chart</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[by]}>
              <th scope="row">
                {row[by] === null ? (
                  "no name"
                ) : (
                  <a
                    href={formatRoute({
                      page: "tool-calls",
                      days,
                      ...(by === "kind" ? { kind: row[by] } : { tool: row[by] }),
                    })}
                  >
                    {row[by]}
                  </a>
                )}
              </th>
              <td>{count(row.count)}</td>
              <td>{row.failed === 0 ? "" : count(row.failed)}</td>
              <td>{row.median_ms === null ? "" : duration(row.median_ms)}</td>
              <td>{row.p95_ms === null ? "" : duration(row.p95_ms)}</td>
              {waited && (
                <td title={`You were asked about ${row.asked} of ${row.count} calls`}>
                  {row.asked === 0 ? "" : duration(row.waited_ms)}
                </td>
              )}
              <td className="span-bar">
                <i style={{ width: `${((row.p95_ms ?? 0) / maxMs) * 100}%` }} />
                <i style={{ width: `${((row.median_ms ?? 0) / maxMs) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Whole days in the local time zone. */
function buildRange(days: number): Range {
  const end = new Date();
  end.setHours(24, 0, 0, 0);
  const since = end.getTime() - days * 24 * 60 * 60 * 1000;
  return { since, until: end.getTime(), utc_offset_minutes: -end.getTimezoneOffset() };
}
