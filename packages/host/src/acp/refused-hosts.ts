// Remembers what the network by name of a thread refused while a command ran, so that its result can say so: the program itself often shows only "403".
import type { RefusedHost } from "@signalbox/sandbox";

/** A command that tries many hosts is told about the first ones. */
const maxHosts = 5;

interface Watch extends Disposable {
  readonly hosts: () => readonly RefusedHost[];
}

export class RefusedHosts {
  readonly #watches = new Set<Map<string, RefusedHost>>();

  add(refused: RefusedHost): void {
    const key = `${refused.host}:${refused.port}`;
    for (const hosts of this.#watches) if (hosts.size < maxHosts && !hosts.has(key)) hosts.set(key, refused);
  }

  /** Of all programs of the thread: they share one network. */
  watch(): Watch {
    const hosts = new Map<string, RefusedHost>();
    this.#watches.add(hosts);
    return { hosts: () => [...hosts.values()], [Symbol.dispose]: () => void this.#watches.delete(hosts) };
  }
}
