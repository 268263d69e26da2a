// The way out of a thread whose network goes by name: the proxy, where it listens, and the certificates for hosts with a credential.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { messageOf } from "@signalbox/protocol";
import type { NetworkByName } from "@signalbox/sandbox";
import type { EgressProxy, HostCredential, TrustFiles } from "@signalbox/sandbox/network";
import type { ThreadContext } from "../acp/thread-context.ts";
import { HostError } from "../data/host-error.ts";
import type { TurnSignal } from "../permissions/turn-signal.ts";
import { proxyPrefix } from "./network-leftovers.ts";
import { ProxyDecisions } from "./proxy-decisions.ts";

interface ThreadProxySettings {
  readonly dataFolder: string;
  readonly turn: TurnSignal;
  /** Of the user's config. */
  readonly allow: readonly string[];
  /** What the agent needs: its row's hosts, and those that the user's own variables lead it to. */
  readonly agentHosts: readonly string[];
  /** What is added to requests for their hosts. */
  readonly credentials: readonly HostCredential[];
}

export class ThreadProxy implements AsyncDisposable {
  readonly network: NetworkByName;
  /** By which programs inside trust the certificates for hosts with a credential. Empty where there are none. */
  readonly variables: Readonly<Record<string, string>>;
  readonly #proxy: EgressProxy;
  readonly #trust: TrustFiles | undefined;
  readonly #decisions: ProxyDecisions;

  private constructor(
    network: NetworkByName,
    { proxy, trust, decisions }: { proxy: EgressProxy; trust: TrustFiles | undefined; decisions: ProxyDecisions },
  ) {
    this.network = network;
    this.variables = trust?.variables ?? {};
    this.#trust = trust;
    this.#proxy = proxy;
    this.#decisions = decisions;
  }

  /** Throws a HostError, and leaves nothing open, for an entry that cannot be read, and where the socket cannot be made. */
  static async open({ dataFolder, turn, credentials, ...settings }: ThreadProxySettings): Promise<ThreadProxy> {
    const network = await import("@signalbox/sandbox/network");
    for (const entry of settings.allow) {
      const problem = network.allowEntryProblem(entry);
      if (problem === undefined) continue;
      throw new HostError("bad_request", `sandbox.network.allow has "${entry}": ${problem}.`);
    }
    const allow = new network.AllowList([...settings.allow, ...settings.agentHosts]);
    // The thread's next session may begin before this one is closed: each has names of its own.
    const name = randomBytes(6).toString("hex");
    const socket = join(dataFolder, "run", `${proxyPrefix}${name}`);
    const decisions = new ProxyDecisions(turn, allow);
    let trust: TrustFiles | undefined;
    try {
      const authority =
        credentials.length === 0 ? undefined : new network.SessionAuthority(credentials.map(({ host }) => host));
      trust = authority && network.writeTrustFiles(dataFolder, name, authority.certificate);
      const places = network.routeThroughProxy(socket, allow);
      // Last: after it, nothing can fail.
      const proxy = await network.EgressProxy.open({
        socket,
        allow,
        decide: (request) => decisions.decide(request),
        record: (connection) => decisions.record(connection),
        keys: authority && { credentials, authority },
      });
      return new ThreadProxy(places, { proxy, trust, decisions });
    } catch (error) {
      trust?.remove();
      throw new HostError("unavailable", `The network by name cannot be opened: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Before this, nothing is let through but what the list names. */
  serve(thread: ThreadContext): void {
    this.#decisions.thread = thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#trust?.remove();
    await this.#proxy[Symbol.asyncDispose]();
  }
}

const serverVariable = /(?:_URL|_API_BASE|_HOST|_ENDPOINT)$/;

/** The servers that variables of the user lead an agent to: `ANTHROPIC_BASE_URL`, `OLLAMA_HOST` and their like. */
export function hostsInEnvironment(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = ""]) => {
    if (!serverVariable.test(name) || !/^https?:\/\//.test(value) || !URL.canParse(value)) return [];
    const { hostname, port, protocol } = new URL(value);
    const host = hostname === "localhost" ? "127.0.0.1" : hostname;
    return [`${host}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`];
  });
}
