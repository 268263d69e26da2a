// The sandbox of one thread while its agent runs: how the agent itself is started, the policy and the network of its commands, and what a person is
// told about both. It is opened once and closed once, with the session.
import { type Config, secretVariables } from "@signalbox/config";
import type { JsonObject, ThreadRow, ThreadSandbox } from "@signalbox/protocol";
import { type CacheUse, cacheVariables, createPolicy, type Enforcement, type Policy } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { OpenPorts } from "../acp/open-ports.ts";
import { RefusedHosts } from "../acp/refused-hosts.ts";
import type { CommandSandbox, ThreadContext } from "../acp/thread-context.ts";
import type { AgentProcessOptions } from "../agents/agent-process.ts";
import { makeCapabilities } from "../agents/client-capabilities.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { TurnSignal } from "../permissions/turn-signal.ts";
import { type PlacedAgent, placeAgent } from "./place-agent.ts";
import type { SessionServices } from "./session-services.ts";
import { ThreadNetwork } from "./thread-network.ts";
import { canAutoAllowSandboxed } from "./thread-sandbox.ts";

interface SandboxSettings {
  readonly thread: Pick<ThreadRow, "id" | "agent_id" | "cwd" | "additional_directories" | "sandbox_choice">;
  readonly definition: AgentDefinition;
  readonly config: Config;
  readonly turn: TurnSignal;
}

interface SandboxServices extends Pick<SessionServices, "enforcement" | "keys"> {
  readonly folder: Pick<DataFolder, "path">;
  readonly register: Pick<Register, "append">;
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
  /** What the agent is told of this client. */
  readonly clientCapabilities: JsonObject;
  readonly #network: ThreadNetwork;
  readonly #placed: PlacedAgent;
  readonly #caches: ReturnType<typeof cacheVariables>;
  #described: ThreadSandbox;

  private constructor(
    { thread, config }: SandboxSettings,
    dataFolder: string,
    { placed, network, loopback }: { placed: PlacedAgent; network: ThreadNetwork; loopback: string | undefined },
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
      policy: createPolicy({ ...settings, network: agentNetwork, agent: sandbox.places }),
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
    const sandbox = new SessionSandbox(settings, services.folder.path, { placed, network, loopback });
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network[Symbol.asyncDispose]();
  }
}
