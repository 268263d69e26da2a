// Opens the models of a session when they are first needed, each once, and lists those that can be chosen.
import type { ModelFacts } from "@signalbox/config/models";
import type { ProviderChoice } from "../providers/choose-provider.ts";
import { discoverModels } from "../providers/discover-models.ts";
import type { Model } from "../providers/model.ts";
import { openModel } from "../providers/open-model.ts";
import type { ModelNames } from "./session-options.ts";

/** Of one server. Any other model can be named. */
const maxDiscovered = 100;

export class SessionModels {
  readonly #choice: ProviderChoice;
  readonly #opened = new Map<string, Promise<Model>>();
  #discovered: readonly string[] = [];

  constructor(choice: ProviderChoice) {
    this.#choice = choice;
  }

  get names(): ModelNames {
    const { fast, complex, known } = this.#choice.models;
    return { fast, complex, known: [...new Set([...known, ...this.#discovered])], facts: (name) => this.facts(name) };
  }

  /** The name as it is kept. */
  canonical(name: string): string {
    return this.#choice.canonical(name);
  }

  maxOutputTokens(model: string): number {
    return this.#choice.maxOutputTokens(model);
  }

  facts(model: string): ModelFacts {
    return this.#choice.facts(model);
  }

  /** Asks the servers of the user's own which models they have. True where there are any. A server that does not answer has none. */
  async discover(): Promise<boolean> {
    const { userServers } = this.#choice;
    const found = await Promise.all(
      userServers.map(async (server) => {
        const names = await discoverModels(this.#choice.settings(`${server}:`)).catch(() => []);
        return names.slice(0, maxDiscovered).map((name) => this.canonical(`${server}:${name}`));
      }),
    );
    this.#discovered = found.flat();
    return this.#discovered.length > 0;
  }

  /** Throws a ProviderError when something is missing; then the next attempt looks again. */
  open(name: string): Promise<Model> {
    const opened = this.#opened.get(name) ?? openModel(this.#choice.settings(name));
    this.#opened.set(name, opened);
    opened.catch(() => this.#opened.delete(name));
    return opened;
  }
}
