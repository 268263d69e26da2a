// For tests: an egress proxy of a place that lets through what a list names. Every name leads to this machine, unless the test says otherwise.
import { AllowList } from "../network/allow-list.ts";
import { EgressProxy, type EgressProxyOptions, type ProxyConnection } from "../network/egress-proxy.ts";
import { routeThroughProxy } from "../network/proxy-places.ts";
import type { NetworkByName } from "../policy/policy.ts";
import type { SandboxedPlace } from "./sandboxed-place.ts";

export class ListedProxy implements AsyncDisposable {
  readonly network: NetworkByName;
  readonly connections: readonly ProxyConnection[];
  readonly #proxy: EgressProxy;

  private constructor(proxy: EgressProxy, network: NetworkByName, connections: readonly ProxyConnection[]) {
    this.#proxy = proxy;
    this.network = network;
    this.connections = connections;
  }

  static async open(
    place: SandboxedPlace,
    entries: readonly string[],
    more: Partial<Pick<EgressProxyOptions, "resolve" | "keys">> = {},
  ): Promise<ListedProxy> {
    const allow = new AllowList(entries);
    const connections: ProxyConnection[] = [];
    const socket = place.folder.at("data/proxy");
    const proxy = await EgressProxy.open({
      socket,
      allow,
      decide: async ({ host, port }) => {
        const entry = allow.find(host, port);
        return entry === undefined
          ? { allowed: false, reason: `${host} is not on the list.` }
          : { allowed: true, by: entry };
      },
      record: (connection) => connections.push(connection),
      resolve: async () => [{ address: "127.0.0.1" }],
      ...more,
    });
    return new ListedProxy(proxy, routeThroughProxy(socket, allow), connections);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
  }
}
