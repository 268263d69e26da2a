// The network of one thread while its agent runs: the way out by name, the loopback that its commands share, and the ports that a person opened to the
// browser. It is opened once, has one owner (the start, then the session), and is closed once, with everything in it.
import { join } from "node:path";
import type { Config } from "@signalbox/config";
import type { KeyStore } from "@signalbox/config/keys";
import { type Enforcement, goesByName, type NetworkAccess, SessionLoopback } from "@signalbox/sandbox";
import type { TerminalSandbox } from "@signalbox/tool-calls";
import { OpenPorts, type PortListener } from "../acp/open-ports.ts";
import type { ThreadContext } from "../acp/thread-context.ts";
import type { TurnSignal } from "../permissions/turn-signal.ts";
import { readCredentials } from "./thread-credentials.ts";
import { ThreadProxy } from "./thread-proxy.ts";

interface NetworkSettings {
  readonly dataFolder: string;
  readonly enforcement: Enforcement;
  readonly turn: TurnSignal;
  readonly config: Pick<Config["sandbox"], "network" | "credentials">;
  readonly keys: KeyStore;
  /** What the agent needs: its row's hosts, and those that the user's own variables lead it to. */
  readonly agentHosts: readonly string[];
  readonly onPortChanged: PortListener;
}

export class ThreadNetwork implements AsyncDisposable {
  /** What the policy of commands gets. */
  readonly access: NetworkAccess;
  /** Undefined where there are no namespaces: there, each command has a loopback of its own, or none. */
  readonly loopback: SessionLoopback | undefined;
  /** Undefined where commands share no loopback. */
  readonly ports: OpenPorts | undefined;
  /** For a person: which host gets which credential. */
  readonly credentialsDescribed: readonly string[];
  readonly #proxy: ThreadProxy | undefined;
  readonly #parts: AsyncDisposableStack;
  #closing: Promise<void> | undefined;

  private constructor(
    isOn: boolean,
    parts: AsyncDisposableStack,
    opened: Pick<ThreadNetwork, "loopback" | "ports" | "credentialsDescribed"> & {
      readonly proxy: ThreadProxy | undefined;
    },
  ) {
    this.#parts = parts;
    this.#proxy = opened.proxy;
    this.access = opened.proxy?.network ?? (isOn ? "on" : "off");
    this.loopback = opened.loopback;
    this.ports = opened.ports;
    this.credentialsDescribed = opened.credentialsDescribed;
  }

  /** Throws a HostError, and leaves nothing open, for a list or a credential that cannot be used, or if the proxy cannot be opened. */
  static async open(settings: NetworkSettings): Promise<ThreadNetwork> {
    const { dataFolder, enforcement, turn, agentHosts, keys, config, onPortChanged } = settings;
    const allow = goesByName(enforcement) ? config.network.allow : undefined;
    const references = allow === undefined ? [] : config.credentials;
    const { credentials, described } = await readCredentials(references, keys, process.env);
    await using parts = new AsyncDisposableStack();
    const proxy = allow && parts.use(await ThreadProxy.open({ dataFolder, turn, allow, agentHosts, credentials }));
    const loopback = parts.use(SessionLoopback.create(enforcement, join(dataFolder, "run"), proxy?.network));
    const ports = loopback && parts.use(new OpenPorts(loopback, onPortChanged));
    return new ThreadNetwork(config.network.isOpen, parts.move(), {
      proxy,
      loopback,
      ports,
      credentialsDescribed: described,
    });
  }

  /** By which programs inside trust the certificates for hosts with a credential. */
  get variables(): Readonly<Record<string, string>> {
    return this.#proxy?.variables ?? {};
  }

  /** What an agent that starts sandboxes itself is told of a network by name. */
  get byName(): TerminalSandbox["by_name"] {
    return this.#proxy && { hosts: this.#proxy.network.hosts, variables: this.#proxy.variables };
  }

  /** Before this, nothing is let through but what the list names. */
  serve(thread: ThreadContext): void {
    this.#proxy?.serve(thread);
  }

  /** The socket for programs that join the loopback; undefined where there is none. A command that it fails for says why. */
  async openLoopback(): Promise<string | undefined> {
    return await this.loopback?.open().catch(() => undefined);
  }

  /**
   * Closes the ports, then the loopback, then the way out; each also where another one failed. The second call waits for the first. Never throws: a file
   * that cannot be removed now is removed when the host starts next.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#parts.disposeAsync().catch(() => {});
    await this.#closing;
  }
}
