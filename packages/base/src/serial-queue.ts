// Runs work one after the other, in the order in which it came.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** Runs `work` when all work before it has ended, even if that failed. Settles as `work` does. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#size++;
    const done = this.#last.then(work);
    const ended = () => {
      this.#size--;
    };
    this.#last = done.then(ended, ended);
    return done;
  }

  /** Whether no work runs or waits. */
  get isIdle(): boolean {
    return this.#size === 0;
  }

  /** Resolves when the work that is there now has ended. Never rejects. */
  async finished(): Promise<void> {
    await this.#last;
  }
}
