// The agent's side of a thread, opened: its process, what it can do, and its session, new or taken up again with the agent's own means.
import { type ClientApp, methods } from "@agentclientprotocol/sdk";
import { isJsonObject, type JsonObject, type ThreadRow } from "@signalbox/protocol";
import { clientCapabilities } from "../acp/client-side.ts";
import { AgentConnection, type AgentListener } from "../agents/agent-connection.ts";
import { needsLogIn } from "../agents/log-in.ts";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { ReplayFilter } from "./replay-filter.ts";

/** JSON-RPC code with which agents say: log in first. */
const authRequired = -32000;
/** Not in the stable part of the protocol yet, but several agents have it. */
const forkMethod = "session/fork";

/** Where the agent's session comes from. */
export type Beginning =
  /** A new one, or the thread's own from before, where the agent can take it up. */
  | { readonly type: "own" }
  /** One that the agent has and the register does not: its history is told by the agent. */
  | { readonly type: "adopt"; readonly sessionId: string }
  /** One that goes on from where another stands. */
  | { readonly type: "fork"; readonly sessionId: string };

export interface AgentSessionOptions {
  readonly thread: ThreadRow;
  readonly definition: AgentDefinition;
  readonly version: string;
  readonly listener: AgentListener;
  readonly serve: (app: ClientApp) => ClientApp;
  readonly mcpServers: readonly JsonObject[];
  readonly ledger: PidLedger;
  readonly beginning: Beginning;
  /** How many prompts the register knows of this thread and of those it was forked from: a replay of these is nothing new. */
  readonly knownPrompts: () => Promise<number>;
  /** Told at each step, for the person who waits. */
  readonly onStep: (step: string) => void;
}

export interface OpenedSession {
  readonly sessionId: string;
  /** `new` has no memory of what is in the register; `resumed` does. */
  readonly origin: "new" | "resumed";
  /** The agent's own answer: modes, config options, and what else it says. */
  readonly answer: JsonObject;
}

export class AgentSession {
  readonly connection: AgentConnection;
  readonly #options: AgentSessionOptions;
  readonly #replay = new ReplayFilter();

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    const { listener, definition, thread, serve, ledger } = options;
    const filtered: AgentListener = {
      ...listener,
      update: (sessionId, params, line) => {
        if (this.#replay.lets(params)) listener.update(sessionId, params, line);
      },
    };
    this.connection = new AgentConnection({ definition, cwd: thread.cwd, listener: filtered, serve, ledger });
  }

  async open(): Promise<OpenedSession> {
    const { definition, version, onStep } = this.#options;
    onStep(`Starting ${definition.label} …`);
    const initialized = await this.connection.request<JsonObject>(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities,
      clientInfo: { name: "signalbox", title: "Signalbox", version },
    });
    const capabilities = isJsonObject(initialized.agentCapabilities) ? initialized.agentCapabilities : {};
    try {
      return await this.#begin(capabilities);
    } catch (error) {
      throw isLoginError(error) ? needsLogIn(definition, initialized.authMethods, agentsWords(error)) : error;
    }
  }

  async #begin(capabilities: JsonObject): Promise<OpenedSession> {
    const { beginning, thread, onStep } = this.#options;
    switch (beginning.type) {
      case "fork":
        return await this.#fork(beginning.sessionId, capabilities);
      case "adopt":
        return await this.#adopt(beginning.sessionId, capabilities);
      case "own": {
        const taken = thread.session_id === null ? null : await this.#takeUp(thread.session_id, capabilities);
        if (taken !== null) return taken;
        onStep("Opening a session …");
        const { sessionId, answer } = await this.#opened(methods.agent.session.new, this.#place());
        return { sessionId, origin: "new", answer };
      }
    }
  }

  async #fork(from: string, capabilities: JsonObject): Promise<OpenedSession> {
    const { definition, onStep } = this.#options;
    if (!can(capabilities, "fork")) {
      throw new HostError("bad_request", `${definition.label} cannot fork a session. Begin a new thread instead.`);
    }
    onStep("Forking the session …");
    const { sessionId, answer } = await this.#opened(forkMethod, { sessionId: from, ...this.#place() });
    return { sessionId, origin: "resumed", answer };
  }

  /** With `load` rather than `resume` where there is a choice: only that tells what happened so far. */
  async #adopt(sessionId: string, capabilities: JsonObject): Promise<OpenedSession> {
    const { definition, onStep } = this.#options;
    const canLoad = capabilities.loadSession === true;
    if (!canLoad && !can(capabilities, "resume")) {
      throw new HostError("bad_request", `${definition.label} cannot take up a session from before.`);
    }
    onStep("Taking up the session …");
    const { load, resume } = methods.agent.session;
    const params = { sessionId, ...this.#place() };
    const answer = await this.connection.request<JsonObject | null>(canLoad ? load : resume, params);
    return { sessionId, origin: "resumed", answer: answer ?? {} };
  }

  async #opened(method: string, params: object): Promise<{ sessionId: string; answer: JsonObject }> {
    const answer = await this.connection.request<JsonObject>(method, params);
    if (typeof answer.sessionId === "string") return { sessionId: answer.sessionId, answer };
    throw new HostError("agent_failed", `${this.#options.definition.label} answered ${method} without a sessionId.`);
  }

  /** Null where the agent cannot, or does not know the session any more: then a new one has to do. */
  async #takeUp(sessionId: string, capabilities: JsonObject): Promise<OpenedSession | null> {
    const { onStep, knownPrompts } = this.#options;
    const canResume = can(capabilities, "resume");
    if (!canResume && capabilities.loadSession !== true) return null;
    const { resume, load } = methods.agent.session;
    onStep("Taking up the session again …");
    this.#replay.begin(canResume ? Number.POSITIVE_INFINITY : await knownPrompts());
    try {
      const params = { sessionId, ...this.#place() };
      const answer = await this.connection.request<JsonObject | null>(canResume ? resume : load, params);
      return { sessionId, origin: "resumed", answer: answer ?? {} };
    } catch (error) {
      // A process that died has no other session either.
      if (this.connection.isGone) throw error;
      return null;
    } finally {
      this.#replay.end();
    }
  }

  #place() {
    return { cwd: this.#options.thread.cwd, mcpServers: this.#options.mcpServers };
  }
}

/** An agent says what it can with an object, mostly an empty one. */
function can(capabilities: JsonObject, ability: "fork" | "resume"): boolean {
  const { sessionCapabilities } = capabilities;
  const said = isJsonObject(sessionCapabilities) ? sessionCapabilities[ability] : undefined;
  return said !== undefined && said !== null && said !== false;
}

/** The agent answered that somebody has to log in first. */
export function isLoginError(error: unknown): boolean {
  return error instanceof HostError && isJsonObject(error.details) && error.details.code === authRequired;
}

/** What the agent itself said, without our words around it. */
function agentsWords(error: unknown): string | null {
  const cause = error instanceof HostError ? error.cause : null;
  return cause instanceof Error ? cause.message : null;
}
