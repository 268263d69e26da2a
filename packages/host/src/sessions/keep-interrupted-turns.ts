// Makes the end checkpoints of the turns in which the last host was killed, before the new one is ready: until then nobody works on the page.
import { setTimeout as pause } from "node:timers/promises";
import { keepInterruptedTurn } from "@signalbox/checkpoints";
import type { SessionServices } from "./session-services.ts";

/** Threads with turns that were interrupted just now are the most recently active ones. Each of the others gets its checkpoint when it is used. */
const maxThreads = 100;
/** A start does not wait longer, also for large folders. The work goes on, and counts only what was changed before the turn's last sign of life. */
const maxWaitMs = 10_000;

/** Never rejects: a restore treats a turn without an end checkpoint as a conflict. */
export async function keepInterruptedTurns(services: Pick<SessionServices, "register" | "checkpoints">): Promise<void> {
  const timer = new AbortController();
  await Promise.race([keepAll(services), pause(maxWaitMs, undefined, timer).catch(() => {})]);
  timer.abort();
}

async function keepAll(services: Pick<SessionServices, "register" | "checkpoints">): Promise<void> {
  try {
    const { rows } = await services.register.query("threads.list", { status: "interrupted", limit: maxThreads });
    for (const thread of rows) await keepInterruptedTurn(services, thread).catch(() => {});
  } catch {
    // The register is closed already, or cannot be read now.
  }
}
