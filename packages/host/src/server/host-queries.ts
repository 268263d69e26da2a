// Answers the queries about the host itself; passes all others to the register.
import { homedir } from "node:os";
import { GitError, recordGitState } from "@signalbox/checkpoints";
import type {
  AgentSessionRow,
  GitStateRow,
  ProcessRow,
  QueryArgs,
  QueryName,
  QueryPage,
  QueryRequest,
} from "@signalbox/protocol";
import { listAgentSessions } from "../agents/list-agent-sessions.ts";
import { treeMemory } from "../agents/tree-memory.ts";
import { HostError } from "../data/host-error.ts";
import type { Caller } from "../devices/caller.ts";
import { listBudgets } from "../sessions/budgets.ts";
import { checkFolder } from "../sessions/check-folder.ts";
import { expiredThreads } from "../sessions/retention.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { threadsBySession } from "../sessions/threads-by-session.ts";
import { describeConfig } from "./describe-config.ts";
import { listDevices, pushKeyOf } from "./device-requests.ts";
import { checkFiles, completeFolder, findFiles } from "./found-files.ts";
import type { HostServices } from "./host-services.ts";
import { describeSetup } from "./setup.ts";

const noChanges = "What it changed on the disk can be seen";

export async function answerQuery(
  query: QueryRequest,
  services: HostServices,
  caller: Caller,
): Promise<QueryPage<QueryName>> {
  const { register, threads, readiness, sessions, rules, userConfig, folder, enforcement, version } = services;
  switch (query.name) {
    case "agents.list":
      userConfig.refresh();
      return { rows: await readiness.rows({ versions: query.args.versions === true }) };
    case "devices.list":
      return { rows: listDevices(caller, services) };
    case "push.get":
      return { rows: [{ public_key: pushKeyOf(services) }] };
    case "machines.list":
      return { rows: (await services.machines?.list()) ?? [] };
    case "files.find": {
      const { thread_id, cwd, query: words } = query.args;
      if (typeof thread_id !== "string") {
        checkFolder(cwd ?? "");
        return { rows: findFiles(cwd ?? "", words) };
      }
      await services.machines?.refuseElsewhere(thread_id, "Its files can be chosen");
      const thread = await register.getThread(thread_id);
      if (thread === null) throw new HostError("not_found", "There is no such thread.");
      return { rows: findFiles(thread.cwd, words) };
    }
    case "files.check": {
      await services.machines?.refuseElsewhere(query.args.thread_id, "Its files can be seen");
      const thread = await register.getThread(query.args.thread_id);
      if (thread === null) throw new HostError("not_found", "There is no such thread.");
      return { rows: checkFiles(thread.cwd, query.args.paths) };
    }
    case "folders.complete":
      return { rows: completeFolder(query.args.prefix) };
    case "ports.list":
      await services.machines?.refuseElsewhere(query.args.thread_id, "Its servers can be reached");
      return { rows: (await sessions.running(query.args.thread_id)?.ports?.list()) ?? [] };
    case "changes.list": {
      await services.machines?.refuseElsewhere(query.args.thread_id, noChanges);
      const { listChanges } = await import("@signalbox/checkpoints/list-changes");
      return { rows: await listChanges(services, query.args) };
    }
    case "changes.diff": {
      await services.machines?.refuseElsewhere(query.args.thread_id, noChanges);
      const { diffChange } = await import("@signalbox/checkpoints/list-changes");
      return { rows: await diffChange(services, query.args) };
    }
    case "git.state":
      return { rows: await gitState(query.args, services) };
    case "config.get":
      userConfig.refresh();
      return { rows: [describeConfig(userConfig)] };
    case "rules.list":
      return { rows: rules.list() };
    case "setup.get":
      userConfig.refresh();
      return {
        rows: [
          await describeSetup({
            version,
            dataFolder: folder.path,
            config: userConfig.config,
            keys: services.keys,
            acpRegistry: services.acpRegistry,
            enforcement: await enforcement,
            listening: services.listening,
          }),
        ],
      };
    case "threads.list":
      return await threads.query("threads.list", { ...query.args, agent_labels: agentLabels(services) });
    case "agent_sessions.list":
      return await agentSessions(query.args, services);
    case "budgets.get":
      userConfig.refresh();
      return { rows: await listBudgets(services, query.args.thread_id ?? null) };
    case "retention.preview":
      return { rows: [{ threads: (await expiredThreads(register, query.args.days)).length }] };
    case "sizes.list":
      return { rows: [await register.sizes()] };
    case "agents.activity": {
      const row = await sessions.activity(query.args.thread_id);
      return { rows: row === null ? [] : [row] };
    }
    case "processes.list":
      return { rows: await processRows(await sessions.processes()) };
    default:
      return await threads.query(query.name, query.args);
  }
}

async function gitState(
  { thread_id, cwd }: QueryArgs<"git.state">,
  services: Pick<HostServices, "register" | "gitStates">,
): Promise<readonly GitStateRow[]> {
  try {
    const id = thread_id ?? null;
    if (id !== null && (await services.register.getThread(id)) === null)
      throw new HostError("not_found", "There is no such thread.");
    if (id === null) checkFolder(cwd ?? "");
    const state = id === null ? await services.gitStates.read(cwd ?? "") : await recordGitState(services, id);
    return state === null ? [] : [state];
  } catch (error) {
    throw error instanceof GitError ? new HostError("unavailable", error.message, { cause: error }) : error;
  }
}

/** The words of a filter also match what an agent is called on the page. */
function agentLabels({ agents }: HostServices): Record<string, string> {
  return Object.fromEntries(agents.all().map(({ id, label }) => [id, label]));
}

async function agentSessions(
  { agent_id, cwd = null, cursor = null }: QueryArgs<"agent_sessions.list">,
  { agents, register, ledger }: HostServices,
): Promise<QueryPage<"agent_sessions.list">> {
  const agent = agents.find(agent_id);
  if (agent === undefined) throw new HostError("not_found", `There is no agent ${agent_id}.`);
  const found = await listAgentSessions(agent, { folder: cwd ?? homedir(), cwd, cursor }, { ledger });
  const threads = await threadsBySession(register, agent.id);
  const rows = found.sessions.map(
    (session): AgentSessionRow => ({
      agent_id: agent.id,
      session_id: session.sessionId,
      cwd: session.cwd,
      title: session.title,
      updated_at: session.updatedAt,
      thread_id: threads.get(session.sessionId) ?? null,
    }),
  );
  return found.nextCursor === null ? { rows } : { rows, next_cursor: found.nextCursor };
}

async function processRows(processes: Awaited<ReturnType<Sessions["processes"]>>): Promise<readonly ProcessRow[]> {
  const memory = await treeMemory(processes.map(({ pid }) => pid));
  return processes.map(({ threadId, pid, label, startedAt }) => ({
    thread_id: threadId,
    pid,
    command: label,
    started_at: startedAt,
    memory_bytes: memory.get(pid) ?? null,
  }));
}
