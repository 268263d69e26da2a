// Counts the agents' tool calls per group: how many, how many failed, the median and the 95th percentile of their durations, exact.
// The calls of an agent, kind and name lie together in the index tool_calls_by_group, in the order in which they ended. So each group is
// one range of the index per day (or a few ranges, where it has several kinds or names), and nothing has to be sorted.
import type { DatabaseSync } from "node:sqlite";
import { hostItemName, type StatsGroupName, type StatsScope } from "@signalbox/protocol";
import { integerOrNull, type Row, textOrNull } from "../database/row.ts";
import { toolCallGroup } from "../database/tables.ts";

const dayMs = 24 * 60 * 60 * 1000;

type Span = Pick<StatsScope, "since" | "until">;

export class ToolCallCounts {
  readonly #next;
  readonly #firstEnd;
  readonly #count;

  constructor(database: DatabaseSync) {
    const calls = "tool_calls AS e INDEXED BY tool_calls_by_group";
    const ended = `${toolCallGroup} = g.value AND e.ended_at >= ?2 AND e.ended_at <= ?3`;
    this.#next = database.prepare(
      `SELECT min(${toolCallGroup}) AS stored FROM ${calls} WHERE ${toolCallGroup} > ? AND ended_at IS NOT NULL`,
    );
    this.#firstEnd = database.prepare(
      `SELECT min((SELECT min(e.ended_at) FROM ${calls} WHERE ${ended})) AS ended_at FROM json_each(?1) AS g`,
    );
    this.#count = database.prepare(
      `SELECT count(*) AS count, coalesce(sum(e.status = 'failed'), 0) AS failed,
        median(e.took_ms) AS median_ms, percentile(e.took_ms, 95) AS p95_ms
      FROM json_each(?1) AS g CROSS JOIN ${calls} WHERE ${ended}`,
    );
  }

  /** Returns a row for each group that has calls, in no particular order. */
  count(scope: StatsScope): readonly Row[] {
    const rows: Row[] = [];
    for (const { group, stored } of this.#groups(scope)) {
      const keys = JSON.stringify(stored);
      for (const { day, since, until } of scope.groups.has("day")
        ? this.#days(keys, scope)
        : [{ day: null, ...scope }]) {
        const counted = this.#count.get(keys, since, until);
        if (counted !== undefined && counted.count !== 0) rows.push({ day, ...group, ...counted });
      }
    }
    return rows;
  }

  /** The groups that are asked for, each with the stored groups that it is made of. */
  #groups({ groups, agentId }: StatsScope): Iterable<{ readonly group: Row; readonly stored: string[] }> {
    const found = new Map<string, { readonly group: Row; readonly stored: string[] }>();
    for (let stored = this.#findNext(""); stored !== null; stored = this.#findNext(stored)) {
      const [agent_id, kind, name] = JSON.parse(stored) as readonly [string, string, string | null];
      // A command that the host ran is counted with the agent's call.
      if (name === hostItemName || (agentId !== null && agentId !== agent_id)) continue;
      const group = { agent_id, kind, name };
      for (const column of ["agent_id", "kind", "name"] satisfies StatsGroupName[]) {
        if (!groups.has(column)) Object.assign(group, { [column]: null });
      }
      const key = groupKey({ day: null, ...group });
      const known = found.get(key);
      if (known === undefined) found.set(key, { group, stored: [stored] });
      else known.stored.push(stored);
    }
    return found.values();
  }

  #findNext(after: string): string | null {
    return textOrNull(this.#next.get(after) ?? { stored: null }, "stored");
  }

  /** The days in which calls of the group ended, each as far as it is in the span. */
  *#days(keys: string, { since, until, offsetMs }: Span & Pick<StatsScope, "offsetMs">) {
    let from = since;
    for (;;) {
      const first = integerOrNull(this.#firstEnd.get(keys, from, until) ?? { ended_at: null }, "ended_at");
      if (first === null) return;
      const day = Math.floor((first + offsetMs) / dayMs);
      const end = (day + 1) * dayMs - offsetMs;
      yield { day, since: from, until: Math.min(until, end - 1) };
      from = end;
    }
  }
}

/** Tells the groups of an answer apart. */
export function groupKey({ day, agent_id, kind, name }: Row): string {
  return JSON.stringify([day, agent_id, kind, name]);
}

/** By day, agent, kind and name; what was not asked for, or has no name, comes first. */
export function compareGroups(a: Row, b: Row): number {
  for (const column of ["day", "agent_id", "kind", "name"]) {
    const [left = null, right = null] = [a[column], b[column]];
    if (left === right) continue;
    if (left === null || right === null) return left === null ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
