// Passes changes to the listeners in the order of their commits, also when a listener causes the next commit. If a listener throws, the others
// still get the change, and its error is an uncaught exception.

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

/** Calls one listener; its error is an uncaught exception. */
export function call<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
