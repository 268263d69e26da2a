// Opens the register read-only for a command, also while a host is writing it.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultDataFolder } from "@signalbox/host/data";
import { HostError, type ThreadRow, type ThreadSummaryRow } from "@signalbox/protocol";
import { openRegisterReader, type RebuildProgress, type RegisterReader } from "@signalbox/tinyvex";
import { Progress } from "../progress.ts";

type Queries = Pick<RegisterReader, "query">;

/** Null when this data folder has no register. After an update of Signalbox this may rebuild the index first, and shows how far it is. */
export async function openForReading(dataFolder: string | undefined): Promise<RegisterReader | null> {
  const path = join(resolve(dataFolder ?? defaultDataFolder()), "signalbox.db");
  if (!existsSync(path)) return null;
  using progress = new Progress("Opening the register …");
  return await openRegisterReader({ path, onProgress: (rebuild) => progress.show(describeRebuild(rebuild)) });
}

export function describeRebuild({ done, total }: RebuildProgress): string {
  return `Rebuilding the index: ${Math.floor((100 * done) / total)} %`;
}

/** Finds a thread by its id, the beginning of its id, or `last` for the last active one. Throws a HostError when there is none, or several. */
export async function findThread(register: Queries, wanted: string): Promise<ThreadRow> {
  const found: ThreadRow[] = [];
  for await (const thread of allThreads(register)) {
    if (wanted === "last" || wanted === thread.id) return thread;
    if (thread.id.startsWith(wanted)) found.push(thread);
  }
  const [one, ...others] = found;
  if (one === undefined) {
    throw new HostError("not_found", `There is no thread ${wanted}. \`signalbox threads\` lists all threads.`);
  }
  if (others.length > 0) {
    const ids = found.slice(0, 5).map(({ id }) => id);
    throw new HostError("conflict", `Several threads begin with ${wanted}: ${ids.join(", ")}. Write more of the id.`);
  }
  return one;
}

/** The most recently active first; archived ones after the others. */
async function* allThreads(register: Queries): AsyncGenerator<ThreadSummaryRow> {
  for (const archived of [false, true]) {
    let cursor: string | undefined;
    do {
      const page = await register.query("threads.list", { archived, limit: 1000, cursor });
      yield* page.rows;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }
}
