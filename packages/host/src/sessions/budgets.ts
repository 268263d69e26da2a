// Budgets: what was spent today and in a session, as agents report it, and the end of a day's money: then no further prompt is taken.
import { type BudgetRow, isJsonObject } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { SessionServices } from "./session-services.ts";

type Services = Pick<SessionServices, "register" | "userConfig">;

/** The only agent that has a budget for a session and stops by it. */
const signalboxAgent = "signalbox";
const currency = "USD";

/** The budget of today, and the one of the thread's session where there is one. */
export async function listBudgets(services: Services, threadId: string | null): Promise<readonly BudgetRow[]> {
  const { userConfig } = services;
  const limit = userConfig.config.day_budget_usd ?? null;
  const day: BudgetRow = { scope: "day", spent: await spentToday(services), limit };
  const session = threadId === null ? null : await sessionBudget(services, threadId);
  return session === null ? [day] : [session, day];
}

/** Throws a HostError when the turns of today have cost as much as a day may. A running turn is not stopped. */
export async function refuseOverBudget(services: Services): Promise<void> {
  const limit = services.userConfig.config.day_budget_usd;
  if (limit === undefined) return;
  const spent = await spentToday(services);
  if (spent < limit) return;
  throw new HostError(
    "rate_limited",
    `The turns of today have cost $${spent.toFixed(2)}, and the budget of a day is $${limit.toFixed(2)}. Raise it in Settings (day_budget_usd in config.json), or go on tomorrow.`,
  );
}

/** Of all turns of this machine that ended since midnight here. Agents that do not say what they cost count as nothing. */
async function spentToday({ register }: Services): Promise<number> {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const { rows } = await register.query("stats", { since: midnight.getTime(), group_by: [] });
  const costs = rows.map((row) => (row.stat === "turns" && (row.currency ?? currency) === currency ? row.cost : 0));
  return costs.reduce((sum, cost) => sum + cost, 0);
}

async function sessionBudget({ register, userConfig }: Services, threadId: string): Promise<BudgetRow | null> {
  const thread = await register.getThread(threadId);
  if (thread?.agent_id !== signalboxAgent) return null;
  const limit = userConfig.inProject(thread.cwd).config.limits.budget_usd;
  if (limit === undefined) return null;
  const { rows } = await register.query("state.get", { thread_id: threadId });
  const cost = rows[0]?.usage?.cost;
  const spent = isJsonObject(cost) && typeof cost.amount === "number" ? cost.amount : 0;
  return { scope: "session", spent, limit };
}
