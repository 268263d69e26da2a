// Tells the agent what becomes of its session, where it wants to know. Nothing waits long for that, and nothing throws. Passes on what ACP clients ask in methods of their own.
import { setTimeout as pause } from "node:timers/promises";
import { methods } from "@agentclientprotocol/sdk";
import type { Json, JsonObject } from "@signalbox/protocol";
import type { SubAgentSessions } from "../acp/sub-agent-sessions.ts";
import type { AgentConnection } from "../agents/agent-connection.ts";
import type { AgentAbilities } from "./open-agent-session.ts";

/** An agent gets this long to answer before its process may be ended. */
const answerMs = 1000;

interface AgentSideOptions {
  readonly connection: AgentConnection;
  readonly sessionId: string;
  readonly abilities: AgentAbilities;
  readonly subAgents: SubAgentSessions;
}

export class AgentSide {
  readonly #options: AgentSideOptions;

  constructor(options: AgentSideOptions) {
    this.#options = options;
  }

  /** The agent's own name for the session. */
  get sessionId(): string {
    return this.#options.sessionId;
  }

  /** The session is not needed any more, or is to be forgotten. */
  async leave(forgets: boolean): Promise<void> {
    const { close, delete: canDelete } = this.#options.abilities;
    if (forgets && canDelete) await this.#request(methods.agent.session.delete);
    else if (close) await this.#request(methods.agent.session.close);
  }

  /** A person gave the thread a title. */
  async setTitle(title: string): Promise<void> {
    if (this.#options.abilities.title) await this.#request("session/set_title", { title });
  }

  /** Archives the session, which also closes it. False where the agent has no archive. */
  async archive(): Promise<boolean> {
    if (!this.#options.abilities.archive) return false;
    await this.#request("session/archive");
    return true;
  }

  /** Ends what a sub-agent does, where the agent allows that. */
  cancelSubAgent(sessionId: string): void {
    const { connection, subAgents } = this.#options;
    if (!subAgents.canCancel(sessionId)) return;
    connection.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
  }

  /** Asks what an ACP client of the thread asks, in a method that is not ACP's own. Throws the agent's error. */
  async askVendor(method: string, params: JsonObject): Promise<Json> {
    const { connection, sessionId } = this.#options;
    return await connection.request<Json>(method, { ...params, sessionId });
  }

  async notifyVendor(method: string, params: JsonObject): Promise<void> {
    const { connection, sessionId } = this.#options;
    await connection.notify(method, { ...params, sessionId });
  }

  async #request(method: string, more: JsonObject = {}): Promise<void> {
    const { connection, sessionId } = this.#options;
    const answered = connection.request(method, { sessionId, ...more }).catch(() => {});
    await Promise.race([answered, pause(answerMs, undefined, { ref: false })]);
  }
}
