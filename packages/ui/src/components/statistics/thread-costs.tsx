// Usage per thread in the period, most expensive first: turns, tokens, cost, and how full the context is.

import { count, money } from "@signalbox/protocol/sizes";
import { useAgentLabel, useQuery } from "@signalbox/react";
import { formatRoute } from "../../hooks/use-route.ts";
import { LoadProblem } from "../shared/load-problem.tsx";

const maxThreads = 12;

export function ThreadCosts({
  range: { since, until },
}: {
  range: { readonly since: number; readonly until: number };
}) {
  const state = useQuery("thread_costs.list", { since, until, limit: maxThreads });
  const rows = state.rows ?? [];
  const labelOf = useAgentLabel();
  if (rows.length === 0) return <LoadProblem what="The costs by thread" state={state} />;
  return (
    <section className="chart costs">
      <h2>Cost and context by thread</h2>
      <LoadProblem what="The costs by thread" state={state} />
      <table>
        <thead>
          <tr>
            <th scope="col">thread</th>
            <th scope="col">agent</th>
            <th scope="col">turns</th>
            <th scope="col">tokens</th>
            <th scope="col">cost</th>
            <th scope="col">context</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ thread_id: threadId, title, agent_id, turns, total_tokens, cost, currency, context }) => (
            <tr key={`${threadId} ${currency}`}>
              <th scope="row">
                <a href={formatRoute({ page: "thread", threadId })}>{title ?? "Untitled"}</a>
              </th>
              <td>{labelOf(agent_id)}</td>
              <td>{count(turns)}</td>
              <td>{total_tokens === 0 ? "" : count(total_tokens)}</td>
              <td>{cost > 0 ? money(cost, currency ?? "USD") : ""}</td>
              <td>
                {context !== null &&
                  (context.size === null
                    ? count(context.used)
                    : `${Math.round((context.used / context.size) * 100)} % of ${count(context.size)}`)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
