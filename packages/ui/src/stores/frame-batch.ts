// Runs work at most once per frame, however often it is requested. A background tab has no frames: there a timer runs it.
const backgroundMs = 250;

export class FrameBatch {
  readonly #work: () => void;
  #frame = 0;
  #timer = 0;

  constructor(work: () => void) {
    this.#work = work;
  }

  request(): void {
    if (this.#timer !== 0) return;
    this.#frame = requestAnimationFrame(() => this.#run());
    this.#timer = window.setTimeout(() => this.#run(), backgroundMs);
  }

  /** Runs requested work immediately. */
  flush(): void {
    if (this.#timer !== 0) this.#run();
  }

  #run(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#work();
  }
}
