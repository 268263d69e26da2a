// Passes changes to the listeners in the order of their commits, also when a listener causes the next commit. If a listener throws, the others
// still get the change, and nothing else fails: what was committed stays committed.
import { messageOf } from "@signalbox/protocol";

export class Publisher<Value> {
  readonly #listeners = new Set<(value: Value) => void>();
  readonly #queue: Value[] = [];
  #isPublishing = false;

  listen(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(value: Value): void {
    this.#queue.push(value);
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      for (const listener of this.#listeners) call(listener, next);
    }
    this.#isPublishing = false;
  }
}

/** Calls one listener. Its error becomes a warning of the process: it must neither end the process nor fail the commit. */
export function call<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? "") : "";
    process.emitWarning(`A listener of the register failed: ${messageOf(error)}`, { detail });
  }
}
