// Lists the files that a thread changed: those of its checkpoints, or, where it has none, those in the diffs of its tool calls.
import { join, relative } from "node:path";
import { type ChangedFileRow, HostError, type QueryArgs, type QueryPage, type ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { SessionServices } from "./session-services.ts";

interface Services extends Pick<SessionServices, "register" | "checkpoints"> {
  /** Reads threads of other machines too, of which only the tool calls are known. */
  readonly threads: Pick<Register, "query">;
}

const defaultLimit = 50;
/** Edits that are read at a time. */
const editsPerPage = 1000;

export async function listChangedFiles(
  services: Services,
  args: QueryArgs<"changed_files.list">,
): Promise<QueryPage<"changed_files.list">> {
  const { thread_id, limit, cursor } = args;
  const rows = await readCheckpoints(services, thread_id);
  if (rows === null) return await services.threads.query("changed_files.list", args);
  const start = Number(cursor ?? 0);
  if (!Number.isSafeInteger(start) || start < 0)
    throw new HostError("bad_request", "This cursor is from another list.");
  const end = start + (limit ?? defaultLimit);
  return { rows: rows.slice(start, end), ...(end < rows.length && { next_cursor: String(end) }) };
}

/** Their paths, short where they are in the thread's folder. */
export async function listChangedPaths(
  { register, checkpoints }: Pick<Services, "register" | "checkpoints">,
  { id, cwd }: Pick<ThreadRow, "id" | "cwd">,
): Promise<readonly string[]> {
  const { rows } = await listChangedFiles({ register, checkpoints, threads: register }, { thread_id: id });
  return rows.map(({ path }) => (path.startsWith(join(cwd, "/")) ? relative(cwd, path) : path));
}

/** The files that its checkpoints name, those that tool calls edited last first; null where it has no checkpoints. */
async function readCheckpoints(services: Services, thread_id: string): Promise<readonly ChangedFileRow[] | null> {
  const thread = await services.register.getThread(thread_id);
  if (thread === null) return null;
  try {
    const { listChanges } = await import("@signalbox/checkpoints/list-changes");
    const changes = await listChanges(services, { thread_id });
    const edits = changes.length === 0 ? new Map() : await readEdits(services, thread_id);
    return changes
      .map(({ path, added, removed }): ChangedFileRow => {
        const full = join(thread.cwd, path);
        const { calls, seq, last_seq } = edits.get(full) ?? { calls: 0, seq: null, last_seq: null };
        return { thread_id, path: full, source: "checkpoints", calls, seq, last_seq, added, removed };
      })
      .toSorted((a, b) => (b.last_seq ?? 0) - (a.last_seq ?? 0));
  } catch (error) {
    if (error instanceof HostError) return null;
    throw error;
  }
}

async function readEdits(
  { register }: Pick<Services, "register">,
  thread_id: string,
): Promise<ReadonlyMap<string, ChangedFileRow>> {
  const { rows } = await register.query("changed_files.list", { thread_id, limit: editsPerPage });
  return new Map(rows.map((row) => [row.path, row]));
}
