import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readUpdate } from "@signalbox/protocol";
import { type Entry, openRegister } from "@signalbox/tinyvex";
import { expect, it, vi } from "vitest";
import { listBudgets, refuseOverBudget } from "./budgets.ts";
import { expiredThreads, keepRetention } from "./retention.ts";

const dayMs = 24 * 60 * 60 * 1000;

async function temporaryRegister(now = Date.now) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-"));
  const register = await openRegister({ path: join(folder, "signalbox.db"), now });
  const cleanUp = async () => {
    await register.close();
    rmSync(folder, { recursive: true });
  };
  return { register, [Symbol.asyncDispose]: cleanUp };
}

it("finds and deletes threads without activity, archived or not, but no pinned, waiting or young ones, and goes on after one that must stay", async () => {
  const now = Date.now();
  let clock = now;
  await using opened = await temporaryRegister(() => clock);
  const { register } = opened;
  const thread = async (title: string, age: number) => {
    clock = now - age * dayMs;
    return (await register.createThread({ agent_id: "one", cwd: "/", title })).id;
  };
  await thread("young", 3);
  await register.updateThread(await thread("archived", 40), { archived: true });
  await register.updateThread(await thread("pinned", 50), { pinned: true });
  const busy = await thread("busy", 60);
  const queued = { type: "turn_queued", turn_id: "t", prompt_id: "p", prompt: [] } as const;
  for (const fact of [queued, { type: "turn_started", turn_id: "t" } as const])
    register.append(busy, { type: "fact", fact });
  await register.settled(busy);
  for (let index = 0; index < 5; index++) await thread(`old ${index}`, 30 + index);
  clock = now;
  const titles = async (days: number) =>
    (await expiredThreads(register, days, now)).map(({ title }) => title ?? "").toSorted();
  expect(await titles(32.5)).toEqual(["archived", "old 3", "old 4"]);
  expect(await titles(100)).toEqual([]);

  const problems: string[] = [];
  const old = await expiredThreads(register, 10, now);
  const locked = old.find(({ title }) => title === "old 2");
  const stop = keepRetention(
    {
      register,
      sessions: {
        delete: async (id) => {
          // Meanwhile a person goes on with the last one.
          const resumed = old.find(({ title }) => title === "old 4");
          if (resumed !== undefined && id === old[0]?.id) {
            register.append(resumed.id, { type: "fact", fact: queued });
            await register.settled(resumed.id);
          }
          if (id === locked?.id) throw new Error("It has work that is not committed.");
          await register.deleteThread(id);
        },
      },
      userConfig: { config: { retention_days: 10 } as never, refresh: () => {}, onChange: () => {} },
      onProblem: (problem) => problems.push(problem),
    },
    { firstMs: 1, againMs: 1_000_000 },
  );
  await vi.waitFor(async () => expect(await titles(10)).toEqual(["old 2"]));
  await stop();
  expect(problems).toEqual([
    "The thread old 2 is older than retention_days and stays: It has work that is not committed.",
  ]);
  const { rows } = await register.query("threads.list", {});
  expect(rows.map(({ title }) => title ?? "").toSorted()).toEqual(["busy", "old 2", "old 4", "pinned", "young"]);
});

it("counts what today's turns cost in US dollars, and takes no further prompt when the day's budget is spent", async () => {
  await using opened = await temporaryRegister();
  const { register } = opened;
  const spend = async (amount: number, currency: string, at: number, agent = "other") => {
    const { id } = await register.createThread({ agent_id: agent, cwd: "/", at });
    const add = (entry: Entry) => register.append(id, { ...entry, at });
    const turn_id = `turn-${id}`;
    add({ type: "fact", fact: { type: "turn_queued", turn_id, prompt_id: id, prompt: [] } });
    add({ type: "fact", fact: { type: "turn_started", turn_id } });
    const update = { sessionUpdate: "usage_update", used: 1000, size: 4000, cost: { amount, currency } };
    add({ type: "update", update: readUpdate({ sessionId: "s", update }) });
    add({ type: "fact", fact: { type: "turn_ended", turn_id, stop_reason: "end_turn" } });
    await register.settled(id);
    return id;
  };
  const now = Date.now();
  await spend(7, "USD", now - 2 * dayMs);
  await spend(5, "EUR", now);
  const own = await spend(1.5, "USD", now, "signalbox");
  const configured = (day: number | undefined, session: number | undefined) => {
    const config = { day_budget_usd: day, limits: { budget_usd: session } } as never;
    return { register, userConfig: { config, inProject: () => ({ config, ignored: [] }) } };
  };
  expect(await listBudgets(configured(undefined, undefined), own)).toEqual([{ scope: "day", spent: 1.5, limit: null }]);
  expect(await listBudgets(configured(2, 3), own)).toEqual([
    { scope: "session", spent: 1.5, limit: 3 },
    { scope: "day", spent: 1.5, limit: 2 },
  ]);
  await refuseOverBudget(configured(2, undefined));
  await refuseOverBudget(configured(undefined, undefined));
  await spend(0.6, "USD", now);
  await expect(refuseOverBudget(configured(2, undefined))).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("have cost $2.10, and the budget of a day is $2.00. Raise it in Settings"),
  });
  const { rows } = await register.query("thread_costs.list", { limit: 2 });
  expect(rows).toMatchObject([
    { cost: 7, currency: "USD", turns: 1, context: { used: 1000, size: 4000 } },
    { cost: 5, currency: "EUR" },
  ]);
});
