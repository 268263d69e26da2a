import { describe, expect, it } from "vitest";
import { endTurn, startTurn, toolCall, toolUpdate, update } from "../testing/entries.ts";
import { indexed, storedRows } from "../testing/stored-rows.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

const day = 24 * 60 * 60 * 1000;
const noon = Date.UTC(2026, 2, 10, 12);

describe("statistics", slow, () => {
  it("count calls and failures and give durations, by day, agent and kind, and tokens and cost of turns", async () => {
    let now = noon;
    const { register, path } = await temporaryRegister({ now: () => now });
    const run = async (agent: string, kind: string, durations: readonly number[], failed: number) => {
      const { id } = await register.createThread({ agent_id: agent, cwd: "/" });
      startTurn(register, id, "1");
      for (const [index, duration] of durations.entries()) {
        register.append(id, toolCall(`t${index}`, { kind, status: "in_progress" }));
        now += duration;
        register.append(id, toolUpdate(`t${index}`, { status: index < failed ? "failed" : "completed" }));
      }
      register.append(
        id,
        update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } }),
      );
      register.append(
        id,
        update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.75, currency: "USD" } }),
      );
      endTurn(register, id, "1", { inputTokens: 100, outputTokens: 20, totalTokens: 120 });
      await register.settled(id);
      return id;
    };
    const first = await run("one", "read", [100, 200, 300, 400, 1000], 1);
    const second = await run("two", "edit", [50], 1);
    // How long it took is not known: it changes no duration.
    register.append(second, toolCall("ended", { kind: "edit", status: "failed" }));
    now = noon + day;
    await run("one", "read", [10, 20], 0);
    now += 1000;
    const { rows } = await register.query("stats", {});
    expect(rows.filter(({ stat }) => stat === "tool_calls")).toEqual([
      {
        stat: "tool_calls",
        name: null,
        asked: 0,
        waited_ms: 0,
        day: "2026-03-10",
        agent_id: "one",
        kind: "read",
        count: 5,
        failed: 1,
        median_ms: 300,
        p95_ms: 880,
      },
      {
        stat: "tool_calls",
        name: null,
        asked: 0,
        waited_ms: 0,
        day: "2026-03-10",
        agent_id: "two",
        kind: "edit",
        count: 2,
        failed: 2,
        median_ms: 50,
        p95_ms: 50,
      },
      {
        stat: "tool_calls",
        name: null,
        asked: 0,
        waited_ms: 0,
        day: "2026-03-11",
        agent_id: "one",
        kind: "read",
        count: 2,
        failed: 0,
        median_ms: 15,
        p95_ms: 20,
      },
    ]);
    expect(rows.filter(({ stat }) => stat === "turns")[0]).toEqual({
      stat: "turns",
      day: "2026-03-10",
      agent_id: "one",
      count: 1,
      failed: 0,
      median_ms: 2000,
      p95_ms: 2000,
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      cost: 0.75,
      currency: "USD",
    });
    expect((await register.query("turns.list", { thread_id: first })).rows).toMatchObject([
      { cost: { amount: 0.75, currency: "USD" } },
    ]);
    const total = await register.query("stats", { group_by: [] });
    expect(total.rows).toMatchObject([
      { stat: "tool_calls", day: null, agent_id: null, kind: null, count: 9, failed: 3 },
      { stat: "turns", count: 3, input_tokens: 300, cost: 2.25 },
    ]);
    const west = await register.query("stats", { group_by: ["day"], utc_offset_minutes: -13 * 60 });
    expect(west.rows[0]).toMatchObject({ day: "2026-03-09", count: 7 });
    expect((await register.query("stats", { agent_id: "two", group_by: ["kind"] })).rows).toMatchObject([
      { kind: "edit", count: 2 },
      { stat: "turns", count: 1 },
    ]);
    expect((await register.query("stats", { since: noon + day, group_by: [] })).rows[0]).toMatchObject({ count: 2 });
    await expect(register.query("stats", { group_by: ["path", "day"] })).rejects.toMatchObject({ code: "bad_request" });
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("count a session's cost once, over several turns and sessions; what cost nothing is another than what is not known", async () => {
    const { register } = await temporaryRegister();
    const { id } = await register.createThread({ agent_id: "one", cwd: "/" });
    const costs = (amount: number) =>
      update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "EUR" } });
    register.append(id, { type: "fact", fact: { type: "session_started", session_id: "s1" } });
    startTurn(register, id, "1");
    register.append(id, costs(1));
    endTurn(register, id, "1");
    register.append(id, costs(1.5));
    startTurn(register, id, "2");
    register.append(id, costs(2));
    register.append(id, { type: "fact", fact: { type: "session_started", session_id: "s2" } });
    register.append(id, costs(2.5));
    endTurn(register, id, "2");
    // One whose cost no one knows, also when the same sum is told later, and one that cost nothing.
    startTurn(register, id, "3");
    endTurn(register, id, "3");
    register.append(id, costs(2.5));
    startTurn(register, id, "4");
    register.append(id, costs(2.5));
    endTurn(register, id, "4");
    await register.settled(id);
    const { rows } = await register.query("turns.list", { thread_id: id });
    expect(rows.map(({ cost }) => cost)).toEqual([
      { amount: 1.5, currency: "EUR" },
      { amount: 3, currency: "EUR" },
      null,
      { amount: 0, currency: "EUR" },
    ]);
  });

  it("name the files that most calls touched, each call once, and forget those of a deleted thread", async () => {
    let now = noon;
    const { register } = await temporaryRegister({ now: () => now });
    const touch = async (
      agent: string,
      calls: readonly (readonly [status: string, ...paths: (string | number)[]])[],
    ) => {
      const { id } = await register.createThread({ agent_id: agent, cwd: "/" });
      for (const [index, [status, ...paths]] of calls.entries()) {
        const locations = paths.map((path) => ({ path, line: index }));
        register.append(id, toolCall(`t${index}`, { kind: "edit", status, locations }));
      }
      await register.settled(id);
      return id;
    };
    await touch("one", [
      ["completed", "/a.ts", "/a.ts", "/b.ts"],
      ["failed", "/a.ts"],
      ["completed"],
      ["completed", 7],
    ]);
    const gone = await touch("two", [["completed", "/b.ts"]]);
    const byPath = async (args = {}) => {
      const { rows } = await register.query("stats", { group_by: ["path"], ...args });
      return rows.map((row) => [(row as { path?: string }).path, row.count, row.failed]);
    };
    expect(await byPath()).toEqual([
      ["/a.ts", 2, 1],
      ["/b.ts", 2, 0],
    ]);
    expect(await byPath({ limit: 1 })).toEqual([["/a.ts", 2, 1]]);
    expect(await byPath({ agent_id: "two" })).toEqual([["/b.ts", 1, 0]]);
    await register.deleteThread(gone);
    expect(await byPath()).toEqual([
      ["/a.ts", 2, 1],
      ["/b.ts", 1, 0],
    ]);
    now += 60 * day;
    expect(await byPath()).toEqual([]);
    await expect(register.query("stats", { group_by: ["path", "day"] })).rejects.toMatchObject({ code: "bad_request" });
  });
});
