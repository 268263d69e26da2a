// Notices a model that goes in circles: the same call with the same input, three times in a row.
import type { Tool } from "../tools/tool.ts";

const mostInARow = 3;

export class RepetitionGuard {
  readonly #tools: () => readonly Tool[];
  #last = "";
  #count = 0;

  constructor(tools: () => readonly Tool[]) {
    this.#tools = tools;
  }

  /** True when this call would be the third of the same. Waiting for something is no circle. */
  isCircle({ name, input, invalid }: { name: string; input: unknown; invalid: string | undefined }): boolean {
    const call = JSON.stringify([name, invalid ?? input]);
    this.#count = call === this.#last ? this.#count + 1 : 1;
    this.#last = call;
    return this.#count >= mostInARow && this.#tools().find((tool) => tool.name === name)?.repeatable !== true;
  }
}
