// Statistics with charts: calls and failures by kind over time, durations, tokens and cost by agent and day, busiest files.
import { duration, type ToolCallStatsRow, type TurnStatsRow } from "@signalbox/protocol";
import { useMemo, useState } from "react";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { count, money } from "../../text/sizes.ts";
import { BarChart } from "./bar-chart.tsx";
import { BusiestFiles } from "./busiest-files.tsx";
import { daysOf, seriesOf } from "./series.ts";

const spans = [7, 30, 90] as const;

export default function StatisticsPage() {
  const labelOf = useAgentLabel();
  const [days, setDays] = useState<(typeof spans)[number]>(30);
  const range = useMemo(() => rangeOf(days), [days]);
  const { rows, error } = useQuery("stats", { ...range, group_by: ["day", "agent_id", "kind"] });
  const byKind = useQuery("stats", { ...range, group_by: ["kind"] });
  const dayNames = useMemo(() => daysOf(days, range.until - 1), [days, range]);
  const calls = (rows ?? []).filter((row): row is ToolCallStatsRow => row.stat === "tool_calls");
  const turns = (rows ?? []).filter((row): row is TurnStatsRow => row.stat === "turns");
  const byKindAndDay = seriesOf(
    calls,
    dayNames,
    (row) => row.kind ?? "other",
    (row) => row.count,
  );
  const failed = calls.reduce((sum, row) => sum + row.failed, 0);
  const total = calls.reduce((sum, row) => sum + row.count, 0);
  const costs = Map.groupBy(
    turns.filter((row) => row.cost > 0),
    (row) => row.currency ?? "USD",
  );
  return (
    <div className="page statistics">
      <header className="page-head">
        <h1>Statistics</h1>
        <label className="pick">
          <span className="visually-hidden">Span of time</span>
          <select value={days} onChange={(event) => setDays(Number(event.target.value) as (typeof spans)[number])}>
            {spans.map((span) => (
              <option key={span} value={span}>
                the last {span} days
              </option>
            ))}
          </select>
        </label>
      </header>
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
      {rows !== null && rows.length === 0 && (
        <p className="hint">
          Nothing ended in this span of time. When agents work, their calls, tokens and costs stand here.
        </p>
      )}
      {rows !== null && rows.length > 0 && (
        <>
          <dl className="figures">
            <Figure name="tool calls" value={count(total)} />
            <Figure
              name="failed"
              value={`${count(failed)}${total > 0 ? ` (${Math.round((failed / total) * 100)} %)` : ""}`}
            />
            <Figure name="turns" value={count(turns.reduce((sum, row) => sum + row.count, 0))} />
            <Figure name="tokens" value={count(turns.reduce((sum, row) => sum + row.total_tokens, 0))} />
            {[...costs].map(([currency, members]) => (
              <Figure
                key={currency}
                name="cost"
                value={money(
                  members.reduce((sum, row) => sum + row.cost, 0),
                  currency,
                )}
              />
            ))}
          </dl>
          <BarChart title="Tool calls by kind" days={dayNames} series={byKindAndDay} format={count} />
          <BarChart
            title="Failures by kind"
            days={dayNames}
            series={seriesOf(
              calls,
              dayNames,
              (row) => row.kind ?? "other",
              (row) => row.failed,
            )}
            like={byKindAndDay}
            format={count}
          />
          <BarChart
            title="Tokens by agent"
            days={dayNames}
            series={seriesOf(
              turns,
              dayNames,
              (row) => labelOf(row.agent_id ?? ""),
              (row) => row.total_tokens,
            )}
            format={count}
          />
          {[...costs].map(([currency, members]) => (
            <BarChart
              key={currency}
              title={`Cost by agent, ${currency}`}
              days={dayNames}
              series={seriesOf(
                members,
                dayNames,
                (row) => labelOf(row.agent_id ?? ""),
                (row) => row.cost,
              )}
              format={(value) => money(value, currency)}
            />
          ))}
          <Durations rows={(byKind.rows ?? []).filter((row): row is ToolCallStatsRow => row.stat === "tool_calls")} />
          <BusiestFiles range={range} />
        </>
      )}
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Durations({ rows }: { rows: readonly ToolCallStatsRow[] }) {
  const most = Math.max(1, ...rows.map((row) => row.p95_ms ?? 0));
  if (rows.length === 0) return null;
  return (
    <section className="chart">
      <h2>How long calls take</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">kind</th>
            <th scope="col">calls</th>
            <th scope="col">median</th>
            <th scope="col">95 of 100 within</th>
            <th scope="col">
              <span className="visually-hidden">picture</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.kind}>
              <th scope="row">{row.kind}</th>
              <td>{count(row.count)}</td>
              <td>{row.median_ms === null ? "" : duration(row.median_ms)}</td>
              <td>{row.p95_ms === null ? "" : duration(row.p95_ms)}</td>
              <td className="span-bar">
                <i style={{ width: `${((row.p95_ms ?? 0) / most) * 100}%` }} />
                <i style={{ width: `${((row.median_ms ?? 0) / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Whole days where the person lives. */
function rangeOf(days: number) {
  const end = new Date();
  end.setHours(24, 0, 0, 0);
  const since = end.getTime() - days * 24 * 60 * 60 * 1000;
  return { since, until: end.getTime(), utc_offset_minutes: -end.getTimezoneOffset() };
}
