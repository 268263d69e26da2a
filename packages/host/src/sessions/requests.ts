// Answers requests about threads and their turns.
import type { AgentSessionRow, ThreadResult, ThreadRow } from "@signalbox/protocol";
import { listAgentSessions } from "../agents/list-agent-sessions.ts";
import { measureTrees } from "../agents/tree-memory.ts";
import type { Caller } from "../data/caller.ts";
import type { SomeQueries, SomeRequests } from "../data/handlers.ts";
import { HostError } from "../data/host-error.ts";
import type { LiveConfig } from "../data/user-config.ts";
import { listBudgets } from "./budgets.ts";
import { expiredThreads } from "./retention.ts";
import type { SessionServices } from "./session-services.ts";
import type { Sessions } from "./sessions.ts";
import { threadsBySession } from "./threads-by-session.ts";

interface Services extends Pick<SessionServices, "register" | "agents" | "probes"> {
  readonly sessions: Sessions;
}

export const sessionHandlers = {
  "tvx.update_thread": async ({ thread_id, updates }, { sessions }) =>
    toResult(await sessions.update(thread_id, updates)),
  "session.create": async (params, { sessions }) => toResult(await sessions.create(params)),
  "session.fork": async (params, { sessions }) => toResult(await sessions.fork(params.thread_id, params)),
  "session.hand_over": async ({ thread_id, agent_id }, { sessions }) =>
    toResult(await sessions.handOver(thread_id, agent_id)),
  "session.adopt": async ({ agent_id, session_id, cwd, title }, { sessions }) =>
    toResult(await sessions.adopt(agent_id, session_id, cwd, title)),
  "session.resume": async (params, { sessions }) => toResult(await sessions.resume(params.thread_id, params)),
  "session.close": ({ thread_id }, { sessions }) => sessions.close(thread_id),
  "session.wait": ({ thread_id }, { sessions }) => sessions.wait(thread_id),
  "session.delete": (params, { sessions }) => sessions.delete(params.thread_id, params),
  "session.set_mode": ({ thread_id, mode_id }, { sessions }) => sessions.setMode(thread_id, mode_id),
  "session.set_config_option": ({ thread_id, config_id, value }, { sessions }) =>
    sessions.setConfigOption(thread_id, config_id, value),
  "run.submit": async ({ thread_id, prompt_id, prompt, steer, model }, { sessions }) => {
    const submitted = await sessions.submit(thread_id, prompt_id, prompt, { steers: steer, model });
    return { thread_id, prompt_id, ...submitted };
  },
  "run.edit": ({ thread_id, turn_id, prompt }, { sessions }) => sessions.edit(thread_id, turn_id, prompt),
  "run.remove": ({ thread_id, turn_id }, { sessions }) => sessions.remove(thread_id, turn_id),
  "run.cancel": ({ thread_id }, { sessions }) => sessions.cancel(thread_id),
  "run.continue": ({ thread_id }, { sessions }) => sessions.continue(thread_id),
  "terminal.run_again": async (params, { sessions }) => {
    const { runAgain } = await import("./run-again.ts");
    await runAgain(sessions, params);
  },
  "port.open": async ({ thread_id, port }, { sessions, register }, caller) => {
    const ports = sessions.running(thread_id)?.ports;
    if (ports === undefined) {
      const why = "the agent does not run, or commands share no loopback on this machine (docs/sandbox.md)";
      throw new HostError("conflict", `The port ${port} cannot be opened: ${why}.`);
    }
    await ports.open(port, nameCaller(caller));
    await register.settled(thread_id);
  },
  /** Closing a port that is not open does nothing. */
  "port.close": async ({ thread_id, port }, { sessions, register }, caller) => {
    await sessions.running(thread_id)?.ports?.close(port, nameCaller(caller));
    await register.settled(thread_id);
  },
} satisfies SomeRequests<Services>;

export const sessionQueryHandlers = {
  "agent_sessions.list": async ({ agent_id, cwd = null, cursor = null }, { agents, register, probes }) => {
    const agent = agents.find(agent_id);
    if (agent === undefined) throw new HostError("not_found", `There is no agent ${agent_id}.`);
    const found = await listAgentSessions(agent, { cwd, cursor }, probes);
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
  },
  "agents.activity": async ({ thread_id }, { sessions }) => {
    const row = await sessions.activity(thread_id);
    return { rows: row === null ? [] : [row] };
  },
  "ports.list": async ({ thread_id }, { sessions }) => ({
    rows: (await sessions.running(thread_id)?.ports?.list()) ?? [],
  }),
  "run_again.preview": async (args, { sessions }) => {
    const { previewAgain } = await import("./run-again.ts");
    return { rows: [previewAgain(sessions, args)] };
  },
  "processes.list": async (_args, { sessions }) => {
    const processes = await sessions.processes();
    const memory = await measureTrees(processes.map(({ pid }) => pid));
    const rows = processes.map(({ threadId, pid, label, startedAt }) => ({
      thread_id: threadId,
      pid,
      command: label,
      started_at: startedAt,
      memory_bytes: memory.get(pid) ?? null,
    }));
    return { rows };
  },
  "retention.preview": async ({ days }, { register }) => ({
    rows: [{ threads: (await expiredThreads(register, days)).length }],
  }),
} satisfies SomeQueries<Services>;

interface BudgetServices extends Pick<SessionServices, "register"> {
  readonly userConfig: LiveConfig;
}

export const budgetQueryHandlers = {
  "budgets.get": async ({ thread_id }, services) => {
    services.userConfig.refresh();
    return { rows: await listBudgets(services, thread_id ?? null) };
  },
} satisfies SomeQueries<BudgetServices>;

function toResult(thread: ThreadRow): ThreadResult {
  return { thread_id: thread.id, thread };
}

/** As the log names who opened or closed a port. */
function nameCaller(caller: Caller): string {
  return caller.type === "device" ? `device:${caller.deviceId}` : caller.type;
}
