// Limits the time of a tool call. The clock stops while a person is asked, and the limit ends with the turn.

export class Deadline implements Disposable {
  /** Aborts with a TimeoutError when the time is up, or with the turn's own reason. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, turn: AbortSignal) {
    this.#leftMs = milliseconds;
    this.signal = AbortSignal.any([turn, this.#controller.signal]);
    this.#run();
  }

  get isOver(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Waits for `work`. Its time does not count. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
    try {
      return await work();
    } finally {
      this.#run();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#since = performance.now();
    const end = () => this.#controller.abort(new DOMException("The time for this call is up.", "TimeoutError"));
    this.#timer = setTimeout(end, Math.max(0, this.#leftMs)).unref();
  }
}
