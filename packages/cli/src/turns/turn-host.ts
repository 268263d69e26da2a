// Gives what running a turn needs of a host, over its WebSocket.
import { setTimeout as pause } from "node:timers/promises";
import { connectionLost, followThread, type HostConnection } from "@signalbox/client";
import {
  type ContentBlock,
  HostError,
  type RegisterQueryName,
  type RequestParams,
  type RunQuery,
  type ThreadRow,
} from "@signalbox/protocol";
import type { RuleDecision } from "@signalbox/rules";

export interface TurnRule {
  readonly decision: Extract<RuleDecision, "allow" | "deny">;
  readonly match: string;
}

/** What the agent is to work with, where it offers a choice. */
interface TurnSettings {
  readonly mode_id?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
}

/** The command of an agent that is not registered. */
export type AgentCommand = RequestParams<"agents.add">;

export interface NewTurnThread extends TurnSettings {
  /** The id of a registered agent, or a command. */
  readonly agent: string | AgentCommand;
  readonly cwd: string;
  readonly title?: string;
  readonly worktree?: { readonly branch?: string | undefined };
}

/** A thread that is there already. */
export interface ResumedThread extends TurnSettings {
  /** Its id, the beginning of it, or `last`. */
  readonly resume: string;
}

export interface TurnHost {
  createThread(thread: NewTurnThread): Promise<ThreadRow>;
  resumeThread(threadId: string, settings: TurnSettings): Promise<ThreadRow>;
  /** Rules that hold for this thread only. */
  addRules(threadId: string, rules: readonly TurnRule[]): Promise<void>;
  submit(threadId: string, promptId: string, prompt: readonly ContentBlock[]): Promise<{ readonly turn_id: string }>;
  cancel(threadId: string): Promise<void>;
  /** Answers in the name of the command, because no person is there. */
  respond(threadId: string, permissionId: string, optionId: string): Promise<void>;
  /** Cancels a question in the name of the command, because no person is there. */
  dismiss(threadId: string, elicitationId: string): Promise<void>;
  readonly query: RunQuery<RegisterQueryName>;
  /** Calls back when something in the thread may have changed. */
  follow(threadId: string, listener: () => void): Promise<void>;
  /** Forgets these rules of the thread. */
  removeRules(threadId: string, rules: readonly TurnRule[]): Promise<void>;
  /** Stops the thread's agent. The thread stays. */
  endThread(threadId: string): Promise<void>;
  /** Rejects when the host is gone before `close` was called. */
  readonly lost: Promise<never>;
  close(): Promise<void>;
}

/** A person who pressed Ctrl+C waits. */
const maxCleanUpMs = 2000;

export function remoteTurnHost(host: HostConnection): TurnHost {
  const begun: Promise<ThreadRow>[] = [];
  const ended = new Set<string>();
  const endThread = async (thread_id: string) => {
    ended.add(thread_id);
    await host.request("session.close", { thread_id });
  };
  /** A command that is cancelled while its agent starts does not wait for the thread: it is ended when it is there, because the host stays. */
  const endLeft = async (thread: Promise<ThreadRow>) => {
    const { id } = await thread;
    if (!ended.has(id)) await endThread(id);
  };
  const create = async ({ agent, ...thread }: NewTurnThread) => {
    const agent_id = typeof agent === "string" ? agent : (await host.request("agents.add", agent)).agent_id;
    return (await host.request("session.create", { agent_id, ...thread })).thread;
  };
  return {
    lost: failWhenLost(host),
    query: (name, args) => host.query(name, args),
    async close() {
      const left = Promise.allSettled(begun.map(endLeft));
      await Promise.race([left, pause(maxCleanUpMs, undefined, { ref: false })]);
      await host.close();
    },
    createThread(thread) {
      const creating = create(thread);
      begun.push(creating);
      return creating;
    },
    async resumeThread(thread_id, settings) {
      return (await host.request("session.resume", { thread_id, ...settings })).thread;
    },
    async addRules(threadId, rules) {
      for (const rule of rules) await host.request("rules.save", { ...rule, scope: { type: "thread", id: threadId } });
    },
    submit: (thread_id, prompt_id, prompt) => host.request("run.submit", { thread_id, prompt_id, prompt }),
    cancel: (thread_id) => host.request("run.cancel", { thread_id }),
    respond: (thread_id, permission_id, option_id) =>
      host.request("permission.respond", { thread_id, permission_id, option_id, decided_by: "command" }),
    dismiss: (thread_id, elicitation_id) =>
      host.request("elicitation.respond", { thread_id, elicitation_id, action: "cancel", decided_by: "command" }),
    async follow(threadId, listener) {
      await followThread(host, threadId, listener);
    },
    async removeRules(thread_id, rules) {
      const { rows } = await host.query("rules.list", {});
      const own = rows.filter(({ scope, decision, match }) => {
        return scope?.id === thread_id && rules.some((rule) => rule.decision === decision && rule.match === match);
      });
      for (const rule of own) await host.request("rules.delete", { rule_id: rule.id });
    },
    endThread,
  };
}

function failWhenLost(host: HostConnection): Promise<never> {
  const lost = host.whenLost().then((): never => {
    throw new HostError("unavailable", connectionLost);
  });
  // Not every caller waits for it.
  lost.catch(() => {});
  return lost;
}
