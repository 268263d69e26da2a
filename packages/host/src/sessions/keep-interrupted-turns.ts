// Makes the end checkpoints of the turns in which the last host was killed, in the background: the sooner, the more of a turn is known to be its own.
import { keepInterruptedTurn } from "@signalbox/checkpoints";
import type { SessionServices } from "./session-services.ts";

/** Threads with turns that were interrupted just now are the most recently active ones. Each of the others gets its checkpoint when it is used. */
const maxThreads = 100;

/** Never rejects: a restore treats a turn without an end checkpoint as a conflict. */
export async function keepInterruptedTurns(services: Pick<SessionServices, "register" | "checkpoints">): Promise<void> {
  try {
    const { rows } = await services.register.query("threads.list", { status: "interrupted", limit: maxThreads });
    for (const thread of rows) await keepInterruptedTurn(services, thread).catch(() => {});
  } catch {
    // The register is closed already, or cannot be read now.
  }
}
