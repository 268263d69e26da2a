// Gives each turn a signal of its own, which cancels what the agent asked for in it.

/** The signal of the running turn, or of the time between two turns. */
export class TurnSignal {
  #controller = new AbortController();
  #isRunning = false;

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Cancels the turn. Its signal stays until the agent has answered. */
  abort(): void {
    this.#controller.abort();
  }

  beginTurn(): void {
    this.#isRunning = true;
    this.#controller = new AbortController();
  }

  /** Cancels the requests that the agent made in the turn and did not wait for. Later requests belong to no turn. */
  endTurn(): void {
    this.#isRunning = false;
    const ended = this.#controller;
    this.#controller = new AbortController();
    ended.abort();
  }
}
