// Notices a model that makes the same call again and again although its result stays the same. A call whose results differ is no mistake: a flaky
// test is run again, and a server that is starting is asked again.
import type { ModelContent, Tool } from "../tools/tool.ts";
import { findTool } from "./find-tool.ts";
import type { AskedCall } from "./turn.ts";

/** After this many equal results in a row the call is not run again. */
const maxEqualResults = 2;
/** After this many refusals in a row the turn ends. */
const maxRefusals = 3;

export const repetitionHint =
  "Not run again: this call returned the same result twice. Try something else, or tell the user what is missing.";

export class RepetitionGuard {
  readonly #tools: () => readonly Tool[];
  #call = "";
  #result = "";
  #equalResults = 0;
  #refusals = 0;

  constructor(tools: () => readonly Tool[]) {
    this.#tools = tools;
  }

  /** Decides about a call before it runs. Tools that wait for something may always be called again. */
  judge(call: AskedCall): "run" | "refuse" | "end" {
    if (findTool(this.#tools(), call.name)?.repeatable === true) return "run";
    if (identify(call) !== this.#call || this.#equalResults < maxEqualResults) return "run";
    return ++this.#refusals > maxRefusals ? "end" : "refuse";
  }

  /** Called with the result of each call that was not refused here, in the order of the calls. */
  record(call: AskedCall, content: readonly ModelContent[] = []): void {
    const [identity, result] = [identify(call), JSON.stringify(content)];
    this.#equalResults = identity === this.#call && result === this.#result ? this.#equalResults + 1 : 1;
    this.#refusals = 0;
    [this.#call, this.#result] = [identity, result];
  }
}

function identify({ name, input, invalid }: AskedCall): string {
  return JSON.stringify([name, invalid ?? input]);
}
