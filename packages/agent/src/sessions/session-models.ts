// Opens the models of a session when they are first needed, each once.
import type { ProviderChoice } from "../providers/choose-provider.ts";
import { thinks } from "../providers/known-models.ts";
import type { Model } from "../providers/model.ts";
import { openModel } from "../providers/open-model.ts";
import type { ModelNames } from "./session-options.ts";

export class SessionModels {
  readonly names: ModelNames;
  readonly #choice: ProviderChoice;
  readonly #opened = new Map<string, Promise<Model>>();

  constructor(choice: ProviderChoice) {
    this.#choice = choice;
    this.names = choice.models;
  }

  /** The name as it is kept. */
  canonical(name: string): string {
    return this.#choice.canonical(name);
  }

  maxOutputTokens(model: string): number {
    return this.#choice.maxOutputTokens(model);
  }

  /** Undefined where that is not known. */
  thinks(model: string): boolean | undefined {
    return thinks(this.#choice.settings(model).model);
  }

  /** Throws a ProviderError when something is missing; then the next attempt looks again. */
  open(name: string): Promise<Model> {
    const opened = this.#opened.get(name) ?? openModel(this.#choice.settings(name));
    this.#opened.set(name, opened);
    opened.catch(() => this.#opened.delete(name));
    return opened;
  }
}
