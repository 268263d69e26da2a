// The sandbox of one thread while its agent runs: how the agent itself is started, the policy and the network of its commands, and what a person is
// told about both. It is opened once and closed once, with the session.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { type Config, secretVariables } from "@signalbox/config";
import type { JsonObject, ThreadRow, ThreadSandbox } from "@signalbox/protocol";
import {
  type CacheUse,
  type ClosedPath,
  cacheVariables,
  createPolicy,
  type Enforcement,
  findClosedPaths,
  type Policy,
  withClosedPaths,
} from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { OpenPorts } from "../acp/open-ports.ts";
import { RefusedHosts } from "../acp/refused-hosts.ts";
import type { CommandSandbox, ThreadContext } from "../acp/thread-context.ts";
import type { AgentProcessOptions } from "../agents/agent-process.ts";
import { makeCapabilities } from "../agents/client-capabilities.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { returnLogIns } from "../agents/return-log-ins.ts";
import { returnSessions } from "../agents/return-sessions.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { TurnSignal } from "../permissions/turn-signal.ts";
import { type PlacedAgent, placeAgent } from "./place-agent.ts";
import type { SessionServices } from "./session-services.ts";
import { ThreadNetwork } from "./thread-network.ts";
import { canAutoAllowSandboxed } from "./thread-sandbox.ts";

interface SandboxSettings {
  readonly thread: Pick<
    ThreadRow,
    "id" | "parent_thread_id" | "agent_id" | "cwd" | "additional_directories" | "sandbox_choice"
  >;
  readonly definition: AgentDefinition;
  readonly config: Config;
  readonly turn: TurnSignal;
  /** The agent is started without a thread, to test it or to log in. */
  readonly isProbe?: boolean;
}

interface SandboxParts {
  readonly placed: PlacedAgent;
  readonly network: ThreadNetwork;
  readonly loopback: string | undefined;
  /** Closed to a whole agent inside. */
  readonly closed: readonly ClosedPath[];
}

interface SandboxServices extends Pick<SessionServices, "enforcement" | "keys"> {
  readonly folder: Pick<DataFolder, "path">;
  readonly register: Pick<Register, "append">;
  readonly rules: Pick<SessionServices["rules"], "listClosures">;
}

export class SessionSandbox implements CommandSandbox, AsyncDisposable {
  readonly enforcement: Enforcement;
  readonly policy: Policy;
  readonly refusedHosts = new RefusedHosts();
  readonly actsThroughHost: boolean;
  readonly autoAllowSandboxed: boolean;
  readonly secretNames: readonly string[];
  /** The agent as it is started here. */
  readonly definition: AgentDefinition;
  /** The sandbox around the whole agent; undefined where it runs outside. */
  readonly agentSandbox: AgentProcessOptions["sandbox"];
  /** The description of this client that the agent gets. */
  readonly clientCapabilities: JsonObject;
  readonly #network: ThreadNetwork;
  readonly #placed: PlacedAgent;
  readonly #isProbe: boolean;
  readonly #returnsSessions: boolean;
  readonly #caches: ReturnType<typeof cacheVariables>;
  #described: ThreadSandbox;

  private constructor(
    { thread, config, isProbe = false }: SandboxSettings,
    dataFolder: string,
    { placed, network, loopback, closed }: SandboxParts,
  ) {
    const { mode, readable, writable, network: wanted, ask_commands: asksCommands } = config.sandbox;
    const { enforcement, definition, sandbox } = placed;
    const settings = {
      mode: mode === "off" ? "rwx" : mode,
      network: network.access,
      workspaceFolders: [thread.cwd, ...thread.additional_directories],
      dataFolder,
      readable,
      writable,
    } as const;
    this.#network = network;
    this.#placed = placed;
    this.#isProbe = isProbe;
    this.#returnsSessions = config.agents[thread.agent_id]?.return_sessions === true;
    this.#caches = cacheVariables(dataFolder);
    this.enforcement = enforcement;
    this.policy = createPolicy(settings);
    this.secretNames = secretVariables(config);
    this.actsThroughHost = definition.commands === "in_our_terminals";
    this.autoAllowSandboxed =
      definition.commands === "in_our_sandbox" &&
      canAutoAllowSandboxed({ enforcement, access: mode, network: wanted.isOpen, asksCommands });
    this.definition = sandbox ? { ...definition, env: { ...definition.env, ...network.variables } } : definition;
    // An agent has to reach its model.
    const agentNetwork = typeof network.access === "string" ? "on" : network.access;
    this.agentSandbox = sandbox && {
      enforcement: sandbox.enforcement,
      policy: withClosedPaths(createPolicy({ ...settings, network: agentNetwork, agent: sandbox.places }), closed),
      loopback,
    };
    this.clientCapabilities = makeCapabilities(enforcement, mode, {
      network: wanted.isOpen,
      loopback: sandbox ? undefined : loopback,
      byName: network.byName,
    });
    this.#described = this.describe(null);
  }

  /** Throws, and leaves nothing open, where the sandbox or its network cannot be made. */
  static async open(services: SandboxServices, settings: SandboxSettings): Promise<SessionSandbox> {
    const { thread, config, turn } = settings;
    const placed = await placeAgent(services, config, thread, settings.definition);
    await using unowned = new AsyncDisposableStack();
    const network = unowned.use(
      await ThreadNetwork.open({
        dataFolder: services.folder.path,
        enforcement: placed.enforcement,
        turn,
        config: config.sandbox,
        keys: services.keys,
        agentHosts: placed.hosts,
        onPortChanged: (port, is_open, by) =>
          services.register.append(thread.id, { type: "fact", fact: { type: "port_changed", port, is_open, by } }),
      }),
    );
    // An agent that starts MCP servers in the sandbox lets them in itself. A sandboxed one whose network goes by name is on the loopback with all that it
    // starts, so the loopback must be there.
    const { definition } = placed;
    const joins =
      definition.commands === "in_our_sandbox" || (placed.sandbox !== undefined && network.byName !== undefined);
    const loopback = joins ? await network.openLoopback() : undefined;
    const closed = placed.sandbox === undefined ? [] : await findDeniedPaths(services.rules, thread);
    const sandbox = new SessionSandbox(settings, services.folder.path, { placed, network, loopback, closed });
    unowned.move();
    return sandbox;
  }

  get loopback() {
    return this.#network.loopback;
  }

  /** The servers of the thread that the person's browser reaches; undefined where commands share no loopback. */
  get ports(): OpenPorts | undefined {
    return this.#network.ports;
  }

  get described(): ThreadSandbox {
    return this.#described;
  }

  /** Describes, and keeps, what sandboxes the agent's commands in this mode; null where the agent has no modes. */
  describe(modeId: string | null): ThreadSandbox {
    const described = this.#placed.describe(modeId);
    const detail = [described.detail, ...this.#network.credentialsDescribed].join(" ");
    this.#described = { ...described, detail };
    return this.#described;
  }

  getVariables(use: CacheUse): Readonly<Record<string, string>> {
    return { ...this.#caches(use), ...(typeof use.policy.network === "string" ? {} : this.#network.variables) };
  }

  /** Lets the thread decide about hosts. Before this, nothing is let through but what the list names. */
  serve(context: ThreadContext): void {
    this.#network.serve(context);
  }

  /** For the end of a turn, and for when the agent has ended: a log-in that it has refreshed goes back to the real state. */
  returnLogIns(): void {
    const { definition, sandbox } = this.#placed;
    if (sandbox !== undefined && definition.sandbox !== undefined)
      returnLogIns(definition.sandbox, sandbox.places, this.#isProbe);
  }

  /** For when the agent has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.returnLogIns();
    const { definition, sandbox } = this.#placed;
    if (this.#returnsSessions && sandbox !== undefined && definition.sandbox !== undefined)
      returnSessions(definition.sandbox, sandbox.places);
    await this.#network[Symbol.asyncDispose]();
  }
}

/**
 * Finds what rules deny to a whole agent inside. It cannot ask, so only rules that deny count. A path that is missing stays open: an agent that made it
 * would be ended as a whole.
 */
async function findDeniedPaths(
  rules: Pick<SessionServices["rules"], "listClosures">,
  { agent_id, id, cwd, additional_directories }: SandboxSettings["thread"],
): Promise<readonly ClosedPath[]> {
  const closures = rules.listClosures({ agentId: agent_id, threadId: id, cwd, home: homedir() });
  const denied = closures.filter(({ decision }) => decision === "deny");
  const { paths } = await findClosedPaths([cwd, ...additional_directories], denied);
  return paths.filter(({ path }) => existsSync(path));
}
