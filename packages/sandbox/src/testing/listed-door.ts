// For tests: a network door of a place that lets through what a list names. Every name leads to this machine, unless the test says otherwise.
import { AllowList } from "../network/allow-list.ts";
import { doorTo } from "../network/door-places.ts";
import { type DoorConnection, type DoorOptions, NetworkDoor } from "../network/network-door.ts";
import type { NetworkByName } from "../policy/policy.ts";
import type { SandboxedPlace } from "./sandboxed-place.ts";

export class ListedDoor implements AsyncDisposable {
  readonly network: NetworkByName;
  readonly connections: readonly DoorConnection[];
  readonly #door: NetworkDoor;

  private constructor(door: NetworkDoor, network: NetworkByName, connections: readonly DoorConnection[]) {
    this.#door = door;
    this.network = network;
    this.connections = connections;
  }

  static async open(
    place: SandboxedPlace,
    entries: readonly string[],
    more: Partial<Pick<DoorOptions, "resolve" | "keys">> = {},
  ): Promise<ListedDoor> {
    const allow = new AllowList(entries);
    const connections: DoorConnection[] = [];
    const socket = place.folder.at("data/door");
    const door = await NetworkDoor.open({
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
    return new ListedDoor(door, doorTo(socket, allow), connections);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#door[Symbol.asyncDispose]();
  }
}
