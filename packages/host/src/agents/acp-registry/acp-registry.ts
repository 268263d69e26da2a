// Holds the list of the ACP registry: the one that comes with Signalbox, or a newer one that the person asked for.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { boundedJson } from "@signalbox/config/bounded-json";
import { messageOf } from "@signalbox/protocol";
import { HostError } from "../../data/host-error.ts";
import { type ListedAgent, readRegistry } from "./registry-format.ts";
import { snapshot } from "./snapshot.ts";

const publicAddress = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";
const maxBytes = 10_000_000;

interface FetchedList {
  readonly fetched_at: string;
  readonly registry: unknown;
}

export class AcpRegistry {
  readonly #file: string;
  #agents: readonly ListedAgent[];
  #asOf: string;

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, "agents", "registry.json");
    this.#agents = snapshot.agents;
    this.#asOf = snapshot.asOf;
    this.#readFetched();
  }

  get agents(): readonly ListedAgent[] {
    return this.#agents;
  }

  /** For the page. */
  get row(): { readonly as_of: string; readonly listed: number; readonly url: string } {
    return { as_of: this.#asOf, listed: this.#agents.length, url: chooseAddress() };
  }

  /** Gets the newest list. Throws a HostError, and keeps the one before. */
  async refresh(): Promise<void> {
    const url = chooseAddress();
    try {
      const registry = await boundedJson(url, maxBytes);
      if (readRegistry(registry).length === 0) throw new Error("it lists no agent");
      this.#write({ fetched_at: new Date().toISOString().slice(0, 10), registry });
    } catch (error) {
      throw new HostError("unavailable", `The list of agents at ${url} cannot be used: ${messageOf(error)}.`, {
        cause: error,
      });
    }
    this.#readFetched();
  }

  #write(fetched: FetchedList): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const unfinished = `${this.#file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(fetched), { mode: 0o600 });
    renameSync(unfinished, this.#file);
  }

  /** A file that is missing or cannot be read is no reason to fail: the list that comes with Signalbox holds. */
  #readFetched(): void {
    try {
      const { fetched_at, registry } = JSON.parse(readFileSync(this.#file, "utf8")) as FetchedList;
      this.#agents = readRegistry(registry);
      this.#asOf = fetched_at;
    } catch {
      // As said.
    }
  }
}

/** Another one for those who keep their own list. */
function chooseAddress(): string {
  return process.env.SIGNALBOX_ACP_REGISTRY_URL || publicAddress;
}
