// Runs work at most once per frame, however often it is requested. A background tab has no frames: there a timer runs it.
const backgroundMs = 250;

export class FrameBatch {
  readonly #work: () => void;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    this.#frame = requestAnimationFrame(() => this.#run());
    this.#timer = setTimeout(() => this.#run(), backgroundMs);
  }

  /** Runs requested work immediately. */
  flush(): void {
    if (this.#timer !== undefined) this.#run();
  }

  #run(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work();
  }
}
