// Queries that the host itself answers; all others are the register's.
import { homedir } from "node:os";
import type { AgentSessionRow, JsonObject, ProcessRow, QueryName } from "@signalbox/protocol";
import { listAgentSessions } from "../agents/list-agent-sessions.ts";
import { treeMemory } from "../agents/tree-memory.ts";
import { HostError } from "../data/host-error.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { threadsBySession } from "../sessions/threads-by-session.ts";
import { completeFolder, findFiles } from "./found-files.ts";
import type { HostServices } from "./host-services.ts";
import { describeSetup } from "./setup.ts";

interface Page {
  readonly rows: readonly JsonObject[];
  readonly next_cursor?: string;
}

export async function query(name: QueryName, args: JsonObject, services: HostServices): Promise<Page> {
  const { register, readiness, sessions, rules, config, folder, enforcement, version } = services;
  switch (name) {
    case "agents.list":
      return { rows: await readiness.rows({ versions: args.versions === true }) };
    case "files.find": {
      const thread = await register.getThread(textOf(args, "thread_id"));
      if (thread === null) throw new HostError("not_found", "There is no such thread.");
      return { rows: findFiles(thread.cwd, textOf(args, "query")) };
    }
    case "folders.complete":
      return { rows: completeFolder(textOf(args, "prefix")) };
    case "rules.list":
      return { rows: rules.list() };
    case "setup.get":
      return {
        rows: [
          await describeSetup({
            version,
            dataFolder: folder.path,
            config,
            enforcement: await enforcement,
            listening: services.listening,
          }),
        ],
      };
    case "agent_sessions.list":
      return await agentSessions(args, services);
    case "sizes.list": {
      const { file, threads } = await register.sizes();
      return { rows: [{ file, threads }] };
    }
    case "processes.list":
      return { rows: await processRows(await sessions.processes()) };
    default:
      return await register.query(name, args);
  }
}

async function agentSessions(args: JsonObject, { agents, register, ledger }: HostServices): Promise<Page> {
  const agent = agents.find(textOf(args, "agent_id"));
  if (agent === undefined) throw new HostError("not_found", `There is no agent ${textOf(args, "agent_id")}.`);
  const cwd = args.cwd === undefined ? null : textOf(args, "cwd");
  const cursor = args.cursor === undefined ? null : textOf(args, "cursor");
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

function textOf(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== "string") throw new HostError("bad_request", `This query needs ${name}, a text.`);
  return value;
}
