// Retention: threads without activity for as many days as config.json says are deleted, unless they are pinned or something runs or waits in them.
import { messageOf, type ThreadSummaryRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { LiveConfig } from "../data/user-config.ts";
import type { Sessions } from "./sessions.ts";

const dayMs = 24 * 60 * 60 * 1000;
const pageSize = 200;
const busyStatuses: ReadonlySet<string> = new Set(["running", "waiting"]);

/** The threads that a retention of so many days deletes now. */
export async function expiredThreads(
  register: Pick<Register, "query">,
  days: number,
  now = Date.now(),
): Promise<readonly ThreadSummaryRow[]> {
  const found: ThreadSummaryRow[] = [];
  for (const archived of [false, true]) {
    const wanted = { archived, updated_before: Math.max(0, Math.floor(now - days * dayMs)), limit: pageSize };
    for (let cursor: string | undefined; ; ) {
      const page = await register.query("threads.list", { ...wanted, cursor });
      found.push(...page.rows.filter(({ pinned, status }) => !pinned && !busyStatuses.has(status)));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
  }
  return found;
}

interface RetentionServices {
  readonly register: Register;
  readonly sessions: Pick<Sessions, "delete">;
  readonly userConfig: Pick<LiveConfig, "config" | "refresh" | "onChange">;
  /** Called when a thread cannot be deleted. */
  readonly onProblem: (problem: string) => void;
}

/** How long after the start, or after a change of config.json, it is carried out; then every so often. */
const defaultTimes = { firstMs: 60_000, againMs: 6 * 60 * 60 * 1000 };

/** Carries it out while the host runs. Returns what stops it. */
export function keepRetention(services: RetentionServices, times = defaultTimes): () => Promise<void> {
  const { userConfig } = services;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let isStopped = false;
  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(() => {
      running = deleteExpired(services, () => isStopped).finally(() => schedule(times.againMs));
    }, ms).unref();
  };
  schedule(times.firstMs);
  userConfig.onChange(() => schedule(times.firstMs));
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}

async function deleteExpired(services: RetentionServices, isStopped: () => boolean): Promise<void> {
  const { register, sessions, userConfig, onProblem } = services;
  try {
    userConfig.refresh();
    const days = userConfig.config.retention_days;
    if (days === undefined) return;
    for (const { id, title, updated_at } of await expiredThreads(register, days)) {
      if (isStopped()) return;
      // Deleting many takes time, in which a person may go on with one of them.
      if ((await register.getThread(id))?.updated_at !== updated_at) continue;
      // Work in its worktree that is not committed is kept, and so is the thread.
      await sessions
        .delete(id)
        .catch((error: unknown) =>
          onProblem(`The thread ${title ?? id} is older than retention_days and stays: ${messageOf(error)}`),
        );
    }
  } catch (error) {
    onProblem(`Old threads could not be deleted: ${messageOf(error)}`);
  }
}
