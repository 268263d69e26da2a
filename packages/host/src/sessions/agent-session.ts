// The agent's side of a thread, opened: its process, what it can do, and its session, new or taken up again with the agent's own means.
import { type ClientApp, methods } from "@agentclientprotocol/sdk";
import { isJsonObject, type JsonObject, type ThreadRow } from "@signalbox/protocol";
import { clientCapabilities } from "../acp/client-side.ts";
import { AgentConnection, type AgentListener } from "../agents/agent-connection.ts";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { ReplayFilter } from "./replay-filter.ts";

/** JSON-RPC code with which agents say: log in first. */
const authRequired = -32000;

export interface AgentSessionOptions {
  readonly thread: ThreadRow;
  readonly definition: AgentDefinition;
  readonly version: string;
  readonly listener: AgentListener;
  readonly serve: (app: ClientApp) => ClientApp;
  readonly mcpServers: readonly JsonObject[];
  readonly ledger: PidLedger;
  /** How many prompts the register knows of this thread: a replay of these is nothing new. */
  readonly knownPrompts: number;
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
    const { definition, version, thread, onStep } = this.#options;
    onStep(`Starting ${definition.label} …`);
    const initialized = await this.connection.request<JsonObject>(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities,
      clientInfo: { name: "signalbox", title: "Signalbox", version },
    });
    const capabilities = isJsonObject(initialized.agentCapabilities) ? initialized.agentCapabilities : {};
    const taken = thread.session_id === null ? null : await this.#takeUp(thread.session_id, capabilities);
    if (taken !== null) return taken;
    onStep("Opening a session …");
    try {
      const answer = await this.connection.request<JsonObject>(methods.agent.session.new, this.#place());
      if (typeof answer.sessionId !== "string") {
        throw new HostError("agent_failed", `${definition.label} answered session/new without a sessionId.`);
      }
      return { sessionId: answer.sessionId, origin: "new", answer };
    } catch (error) {
      throw isLoginError(error) ? needsLogin(definition, initialized.authMethods) : error;
    }
  }

  /** Null where the agent cannot, or does not know the session any more: then a new one has to do. */
  async #takeUp(sessionId: string, capabilities: JsonObject): Promise<OpenedSession | null> {
    const { onStep, knownPrompts } = this.#options;
    const canResume =
      isJsonObject(capabilities.sessionCapabilities) && capabilities.sessionCapabilities.resume !== undefined;
    if (!canResume && capabilities.loadSession !== true) return null;
    const { resume, load } = methods.agent.session;
    onStep("Taking up the session again …");
    this.#replay.begin(knownPrompts);
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

/** The agent answered that somebody has to log in first. */
export function isLoginError(error: unknown): boolean {
  return error instanceof HostError && isJsonObject(error.details) && error.details.code === authRequired;
}

function needsLogin({ label }: AgentDefinition, authMethods: unknown): HostError {
  const methodsOffered = Array.isArray(authMethods) ? authMethods.filter(isJsonObject) : [];
  const ways = methodsOffered
    .map(({ name, description }) => [name, description].filter((word) => typeof word === "string").join(": "))
    .join("; ");
  const advice = ways === "" ? "Log in with its own command in a terminal, then try again." : `It offers: ${ways}.`;
  return new HostError("agent_failed", `${label} wants you to log in first. ${advice}`, {
    details: { code: authRequired, auth_methods: methodsOffered },
  });
}
