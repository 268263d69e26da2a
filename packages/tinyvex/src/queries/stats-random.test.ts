// Statistics of random calls, in every grouping, against a plain computation over the same calls.
import { hostItemName, type StatsGroupName } from "@signalbox/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { endTurn, fact, startTurn, toolCall, toolUpdate } from "../testing/entries.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

const start = Date.UTC(2026, 2, 1, 22);
const groupNames = ["day", "agent_id", "kind", "name"] as const satisfies StatsGroupName[];
const groupings = Array.from({ length: 2 ** groupNames.length }, (_, bits) =>
  groupNames.filter((_name, index) => (bits >> index) % 2 === 1),
);

const ms = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5000 }));
/** Whole hours: many calls end exactly where a day begins. */
const pauseMs = fc.integer({ min: 0, max: 12 }).map((hours) => hours * 60 * 60 * 1000);
const anyCall = fc.record({
  agent: fc.constantFrom("one", "two"),
  kind: fc.constantFrom("read", "execute", "a kind of its own"),
  name: fc.constantFrom(null, "Read", 'a "tool"', hostItemName),
  pause: pauseMs,
  took: ms,
  /** How long a question about it is open; 0 for none. */
  asked: fc.oneof(fc.constant(0), ms),
  status: fc.constantFrom("completed", "failed"),
  /** Announced when it has ended: its duration is unknown. */
  isToldAtEnd: fc.boolean(),
});
type AnyCall = typeof anyCall extends fc.Arbitrary<infer Call> ? Call : never;

interface EndedCall extends Pick<AnyCall, "agent" | "kind" | "name" | "status"> {
  readonly endedAt: number;
  readonly durationMs: number | null;
  readonly wait: readonly [since: number, until: number] | null;
}

it("are what a plain computation over all calls gives, in every grouping, span and time zone", slow, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 60 }), fc.integer({ min: -14, max: 14 }), check),
    { numRuns: 12 },
  );
});

async function check(calls: readonly AnyCall[], hours: number): Promise<void> {
  let now = start;
  const { register } = await temporaryRegister({ now: () => now });
  const { id } = await register.createThread({ agent_id: "none", cwd: "/" });
  const ended = calls.map((call, index): EndedCall => {
    const { agent, kind, name, status, took, asked, isToldAtEnd } = call;
    now += call.pause;
    register.append(id, fact({ type: "handed_over", agent_id: agent }));
    startTurn(register, id, `turn-${index}`);
    const key = name === hostItemName ? `signalbox-${index}` : `t${index}`;
    const told = { kind, ...(name !== null && { _meta: { toolName: name }, name }) };
    if (isToldAtEnd) register.append(id, toolCall(key, { ...told, status }));
    else register.append(id, toolCall(key, { ...told, status: "in_progress" }));
    const since = now;
    if (asked > 0 && !isToldAtEnd) {
      const question = { permission_id: `p${index}`, tool_call: { toolCallId: key }, options: [] };
      register.append(id, fact({ type: "permission_requested", ...question }));
      now += asked;
      const decision = { status: "allowed", option_id: null, decided_by: "person", rule: null } as const;
      register.append(id, fact({ type: "permission_decided", permission_id: `p${index}`, ...decision }));
    }
    const wait = now > since ? ([since, now] as const) : null;
    if (!isToldAtEnd) {
      now += took;
      register.append(id, toolUpdate(key, { status }));
    }
    const endedAt = now;
    endTurn(register, id, `turn-${index}`);
    return { agent, kind, name, status, endedAt, durationMs: isToldAtEnd ? null : took, wait };
  });
  await register.settled(id);
  const middle = Math.floor((start + now) / 2);
  const spans = [
    { since: start, until: now },
    { since: start, until: middle },
    { since: middle, until: now, agent_id: "one" },
  ];
  for (const span of spans) {
    for (const group_by of groupings) {
      const args = { ...span, group_by, utc_offset_minutes: hours * 60 };
      const { rows } = await register.query("stats", args);
      const found = rows.filter(({ stat }) => stat === "tool_calls").map(({ stat: _stat, ...row }) => row);
      expect(found).toEqual(expected(ended, args));
    }
  }
  await register.close();
}

interface Asked {
  readonly since: number;
  readonly until: number;
  readonly agent_id?: string;
  readonly group_by: readonly StatsGroupName[];
  readonly utc_offset_minutes: number;
}

function expected(calls: readonly EndedCall[], { since, until, agent_id, group_by, utc_offset_minutes }: Asked) {
  const groups = new Map<string, EndedCall[]>();
  for (const call of calls) {
    if (call.endedAt < since || call.endedAt > until || (agent_id !== undefined && call.agent !== agent_id)) continue;
    const day = new Date(call.endedAt + utc_offset_minutes * 60_000).toISOString().slice(0, 10);
    const all = { day, agent_id: call.agent, kind: call.kind, name: call.name };
    const key = JSON.stringify(groupNames.map((name) => (group_by.includes(name) ? all[name] : null)));
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  const rows = [...groups].map(([key, members]) => {
    const [day, agent, kind, name] = JSON.parse(key) as (string | null)[];
    const own = members.filter((call) => call.name !== hostItemName);
    const durations = own.flatMap(({ durationMs }) => durationMs ?? []).toSorted((a, b) => a - b);
    const waits = members.flatMap(({ wait }) => (wait === null ? [] : [wait]));
    return {
      day,
      agent_id: agent,
      kind,
      name,
      count: own.length,
      failed: own.filter(({ status }) => status === "failed").length,
      median_ms: percentile(durations, 50),
      p95_ms: percentile(durations, 95),
      asked: waits.length,
      waited_ms: waits.reduce((sum, [from, to]) => sum + to - from, 0),
    };
  });
  const order = ({ day, agent_id: agent, kind, name }: (typeof rows)[number]) => [day, agent, kind, name];
  return rows.filter(({ count, asked }) => count > 0 || asked > 0).toSorted((a, b) => compare(order(a), order(b)));
}

function percentile(sorted: readonly number[], percent: number): number | null {
  if (sorted.length === 0) return null;
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return Math.round(below + (above - below) * (place - Math.floor(place)));
}

function compare(a: readonly (string | null | undefined)[], b: readonly (string | null | undefined)[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  if (index === -1) return 0;
  return (a[index] ?? "") < (b[index] ?? "") ? -1 : 1;
}
