// Answers requests about a thread's files: its changes on disk, and its git repository.
import { commitFiles, GitError, keepInterruptedTurn, mergeWorktree, recordGitState } from "@signalbox/checkpoints";
import type { GitResult, ThreadRow } from "@signalbox/protocol";
import type { SomeQueries, SomeRequests } from "../data/handlers.ts";
import { HostError } from "../data/host-error.ts";
import { dropAside, keepAside, listAside } from "./aside-settings.ts";
import { checkFolder } from "./check-folder.ts";
import { restoreFiles } from "./restore-files.ts";
import type { SessionServices } from "./session-services.ts";
import type { Sessions } from "./sessions.ts";

interface Services extends Pick<SessionServices, "register" | "checkpoints" | "gitStates" | "folder"> {
  readonly sessions: Sessions;
}

export const repositoryHandlers = {
  "changes.restore": (params, services) => restoreFiles(services, params.thread_id, params),
  "aside.keep": async ({ thread_id, aside_id, digest }, services) =>
    keepAside(services, await findThread(thread_id, services), aside_id, digest),
  "aside.drop": async ({ thread_id, aside_id }, services) =>
    dropAside(services, await findThread(thread_id, services), aside_id),
  "git.commit": (params, services) =>
    changeRepository(params.thread_id, services, (thread) => commitFiles(services.gitStates, thread, params)),
  "git.merge": ({ thread_id }, services) =>
    changeRepository(thread_id, services, (thread) => mergeWorktree(services, thread)),
} satisfies SomeRequests<Services>;

// Comparing texts is loaded with the first query: a host that starts does not need it.
export const repositoryQueryHandlers = {
  "changes.list": async (args, services) => {
    await keepEarlierTurn(args.thread_id, services);
    const { listChanges } = await import("@signalbox/checkpoints/list-changes");
    return { rows: await listChanges(services, args) };
  },
  "changes.diff": async (args, services) => {
    await keepEarlierTurn(args.thread_id, services);
    const { diffChange } = await import("@signalbox/checkpoints/list-changes");
    return { rows: await diffChange(services, args) };
  },
  "aside.list": async ({ thread_id }, services) => ({
    rows: listAside(services, await findThread(thread_id, services)),
  }),
  "git.state": async ({ thread_id = null, cwd = null }, services) => {
    if (thread_id === null) checkFolder(cwd ?? "");
    else await findThread(thread_id, services);
    const reading = thread_id === null ? services.gitStates.read(cwd ?? "") : recordGitState(services, thread_id);
    const state = await reading.catch(rethrowGitError);
    return { rows: state === null ? [] : [state] };
  },
} satisfies SomeQueries<Services>;

/** The thread's row has the new state before the answer goes out. */
async function changeRepository(
  threadId: string,
  services: Services,
  work: (thread: ThreadRow) => Promise<GitResult>,
): Promise<GitResult> {
  const thread = await findThread(threadId, services);
  try {
    return await work(thread).catch(rethrowGitError);
  } finally {
    await recordGitState(services, thread.id).catch(() => {});
    await services.register.settled(thread.id);
  }
}

/** After a crash, a turn's changes are known when its end checkpoint is made; without one, it has none that are known to be its own. */
async function keepEarlierTurn(threadId: string, services: Services): Promise<void> {
  await keepInterruptedTurn(services, await findThread(threadId, services)).catch(() => {});
}

async function findThread(threadId: string, { register }: Pick<Services, "register">): Promise<ThreadRow> {
  const thread = await register.getThread(threadId);
  if (thread === null) throw new HostError("not_found", `There is no thread ${threadId}.`);
  return thread;
}

function rethrowGitError(error: unknown): never {
  throw error instanceof GitError ? new HostError("unavailable", error.message, { cause: error }) : error;
}
