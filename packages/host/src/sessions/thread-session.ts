// A thread with its agent running: one turn at a time, the rest of the prompts in a queue. Everything that happens is stated to
// the register as a fact, in the order in which it happened.
import { randomUUID } from "node:crypto";
import { methods } from "@agentclientprotocol/sdk";
import type { ContentBlock, Fact, Json, JsonObject, StopReason, ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { AgentConnection } from "../agents/agent-connection.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError, messageOf } from "../data/host-error.ts";

/** How long a cancelled agent may take to answer before its process is stopped. */
const cancelGraceMilliseconds = 5000;

interface Turn {
  readonly turnId: string;
  readonly prompt: readonly ContentBlock[];
}

export interface ThreadSessionOptions {
  readonly thread: ThreadRow;
  readonly definition: AgentDefinition;
  readonly register: Register;
  /** Called once, when the agent is gone for whatever reason. */
  readonly onGone: () => void;
}

export class ThreadSession {
  readonly #threadId: string;
  readonly #register: Register;
  readonly #agent: AgentConnection;
  readonly #queue: Turn[] = [];
  #sessionId = "";
  #running: Promise<void> | null = null;
  #cancelling = false;
  #stopping = false;

  private constructor({ thread, definition, register, onGone }: ThreadSessionOptions) {
    this.#threadId = thread.id;
    this.#register = register;
    this.#agent = new AgentConnection(definition, thread.cwd, {
      update: (_sessionId, params, line) => register.append(thread.id, { type: "update", params, line }),
      notification: (method, params) => register.append(thread.id, { type: "notification", method, params }),
    });
    this.#agent.gone.catch(onGone);
  }

  /** Starts the agent's process and a session in it. Throws, and leaves nothing running, when that fails. */
  static async start(options: ThreadSessionOptions): Promise<ThreadSession> {
    const session = new ThreadSession(options);
    try {
      await session.#open(options.thread.cwd);
      return session;
    } catch (error) {
      await session.stop();
      throw error;
    }
  }

  /** Takes a prompt; runs it now or after those before it. */
  submit(promptId: string, prompt: readonly ContentBlock[]): { turnId: string; queued: boolean } {
    const turnId = `turn-${randomUUID()}`;
    const queued = this.#running !== null;
    this.#state({ type: "turn_queued", turn_id: turnId, prompt_id: promptId, prompt });
    this.#queue.push({ turnId, prompt });
    if (!queued) this.#running = this.#runQueue();
    return { turnId, queued };
  }

  /** Ends the running turn, by asking, and if that is not heard by stopping the agent. The queue waits for a new prompt. */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#cancelling = true;
    for (const { turnId } of this.#queue.splice(0)) this.#state({ type: "turn_removed", turn_id: turnId });
    const deaf = setTimeout(() => void this.#agent.stop(), cancelGraceMilliseconds);
    try {
      await this.#agent.notify(methods.agent.session.cancel, { sessionId: this.#sessionId });
    } catch {
      // The agent is gone: its end ends the turn.
    }
    await running;
    clearTimeout(deaf);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue.length = 0;
    await this.#agent.stop();
    await this.#running;
  }

  async #open(cwd: string): Promise<void> {
    await this.#agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: "signalbox", title: "Signalbox", version: "0.1.0" },
    });
    const answer = await this.#agent.request<JsonObject>(methods.agent.session.new, { cwd, mcpServers: [] });
    if (typeof answer.sessionId !== "string") {
      throw new HostError("agent_failed", "The agent answered session/new without a sessionId.");
    }
    this.#sessionId = answer.sessionId;
    this.#state({
      type: "session_started",
      session_id: answer.sessionId,
      ...(answer.modes === undefined ? {} : { modes: answer.modes }),
      ...(answer.configOptions === undefined ? {} : { config_options: answer.configOptions }),
    });
  }

  async #runQueue(): Promise<void> {
    for (let turn = this.#queue.shift(); turn !== undefined; turn = this.#queue.shift()) {
      this.#cancelling = false;
      this.#state({ type: "turn_started", turn_id: turn.turnId });
      this.#state(await this.#run(turn));
    }
    this.#running = null;
  }

  async #run({ turnId, prompt }: Turn): Promise<Fact> {
    try {
      const answer = await this.#agent.request<{ stopReason?: StopReason; usage?: JsonObject }>(
        methods.agent.session.prompt,
        { sessionId: this.#sessionId, prompt },
      );
      return {
        type: "turn_ended",
        turn_id: turnId,
        stop_reason: answer.stopReason ?? "end_turn",
        ...(answer.usage ? { usage: answer.usage } : {}),
      };
    } catch (error) {
      if (this.#stopping) {
        return { type: "turn_interrupted", turn_id: turnId, reason: "Signalbox was stopped while the turn ran." };
      }
      if (this.#cancelling) return { type: "turn_ended", turn_id: turnId, stop_reason: "cancelled" };
      return { type: "turn_failed", turn_id: turnId, error: turnError(error) };
    }
  }

  #state(fact: Fact): void {
    this.#register.append(this.#threadId, { type: "fact", fact });
  }
}

function turnError(error: unknown): { code: string; message: string; details?: Json } {
  if (!(error instanceof HostError)) return { code: "internal", message: messageOf(error) };
  return {
    code: error.code,
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}
