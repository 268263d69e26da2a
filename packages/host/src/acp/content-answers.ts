// Lets answers with content, such as a file's text, be made one after the other: the next one is read when the agent has taken the last. An
// agent that asks for much and reads nothing would otherwise fill the host's memory.

interface WaitingAnswer {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

export class ContentAnswers {
  #waiting: WaitingAnswer[] = [];
  /** The request whose answer is being made or written; undefined when there is none. */
  #current: { readonly requestId: unknown } | undefined;

  /** Runs the work when it is its turn. The turn ends when the answer was written, or the work failed. */
  async make<Result>(requestId: unknown, work: () => Promise<Result>): Promise<Result> {
    while (this.#current !== undefined) {
      await new Promise<void>((begin, refuse) => this.#waiting.push({ begin, refuse }));
    }
    const current = { requestId };
    this.#current = current;
    try {
      return await work();
    } catch (error) {
      if (this.#current === current) this.#next();
      throw error;
    }
  }

  /** The answer to this request was written to the agent. */
  written(requestId: unknown): void {
    if (this.#current?.requestId === requestId) this.#next();
  }

  /** The turn was cancelled or the agent is gone: what waits gets an error. */
  refuseWaiting(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#current = undefined;
    for (const { refuse } of waiting) refuse(error);
  }

  #next(): void {
    this.#current = undefined;
    this.#waiting.shift()?.begin();
  }
}
