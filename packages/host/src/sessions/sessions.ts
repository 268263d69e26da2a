// The threads whose agents run now. A thread without one gets its agent when it is prompted.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ContentBlock, ThreadRow, TurnRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { AgentRegistry } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { ThreadSession } from "./thread-session.ts";

export interface Submitted {
  readonly turn_id: string;
  readonly queued: boolean;
}

export interface NewSession {
  readonly agent_id: string;
  readonly cwd: string;
  readonly title?: string;
}

export class Sessions {
  readonly #register: Register;
  readonly #agents: AgentRegistry;
  readonly #live = new Map<string, Promise<ThreadSession>>();
  /** Prompts being taken now, so that the same one coming twice at once runs once. */
  readonly #submitting = new Map<string, Promise<Submitted>>();

  constructor(register: Register, agents: AgentRegistry) {
    this.#register = register;
    this.#agents = agents;
  }

  /** A thread with its agent running; nothing is left behind when the agent cannot be started. */
  async create({ agent_id, cwd, title }: NewSession): Promise<ThreadRow> {
    this.#definition(agent_id);
    checkFolder(cwd);
    const thread = await this.#register.createThread({ agent_id, cwd, title: title ?? null });
    try {
      await this.#attach(thread);
    } catch (error) {
      await this.#register.deleteThread(thread.id);
      throw error;
    }
    return await this.#thread(thread.id);
  }

  /** Runs a prompt once: the same `promptId` again gets the same answer. */
  submit(threadId: string, promptId: string, prompt: readonly ContentBlock[]): Promise<Submitted> {
    const key = `${threadId} ${promptId}`;
    const known = this.#submitting.get(key);
    if (known !== undefined) return known;
    const submitted = this.#submit(threadId, promptId, prompt).finally(() => this.#submitting.delete(key));
    this.#submitting.set(key, submitted);
    return submitted;
  }

  async cancel(threadId: string): Promise<void> {
    await this.#thread(threadId);
    const session = await this.#live.get(threadId);
    await session?.cancel();
  }

  async close(threadId: string): Promise<void> {
    await this.#thread(threadId);
    await this.#stop(threadId);
    this.#register.append(threadId, {
      type: "fact",
      fact: { type: "session_ended", status: "closed", reason: null },
    });
    await this.#register.settled(threadId);
  }

  async delete(threadId: string): Promise<void> {
    await this.#thread(threadId);
    await this.#stop(threadId);
    await this.#register.deleteThread(threadId);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#live.keys()].map((threadId) => this.#stop(threadId)));
  }

  async #submit(threadId: string, promptId: string, prompt: readonly ContentBlock[]): Promise<Submitted> {
    const thread = await this.#thread(threadId);
    const { rows } = await this.#register.query("turns.list", { thread_id: threadId, prompt_id: promptId, limit: 1 });
    const [earlier] = rows as unknown as readonly TurnRow[];
    if (earlier !== undefined) return { turn_id: earlier.turn_id, queued: earlier.status === "queued" };
    const session = await this.#attach(thread);
    const { turnId, queued } = session.submit(promptId, prompt);
    await this.#register.settled(threadId);
    return { turn_id: turnId, queued };
  }

  #attach(thread: ThreadRow): Promise<ThreadSession> {
    const live = this.#live.get(thread.id);
    if (live !== undefined) return live;
    const definition = this.#definition(thread.agent_id);
    const started = ThreadSession.start({
      thread,
      definition,
      register: this.#register,
      onGone: () => {
        if (this.#live.get(thread.id) === started) this.#live.delete(thread.id);
      },
    });
    this.#live.set(thread.id, started);
    return started;
  }

  async #stop(threadId: string): Promise<void> {
    const live = this.#live.get(threadId);
    this.#live.delete(threadId);
    try {
      await (await live)?.stop();
    } catch {
      // It never started, so there is nothing to stop.
    }
  }

  async #thread(threadId: string): Promise<ThreadRow> {
    const thread = await this.#register.getThread(threadId);
    if (thread === null) throw new HostError("not_found", `There is no thread ${threadId}.`);
    return thread;
  }

  #definition(agentId: string) {
    const definition = this.#agents.find(agentId);
    if (definition !== undefined) return definition;
    const known = this.#agents.all().map((agent) => agent.id);
    throw new HostError("not_found", `There is no agent ${agentId}. Known agents: ${known.join(", ")}.`);
  }
}

function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd)) throw new HostError("bad_request", `The folder must be an absolute path; ${cwd} is not.`);
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (stats === undefined) throw new HostError("not_found", `The folder ${cwd} does not exist.`);
  if (!stats.isDirectory()) throw new HostError("bad_request", `${cwd} is a file, not a folder.`);
}
