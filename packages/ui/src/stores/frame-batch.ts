// Runs work once per frame however often it is asked for, so that two hundred updates a second cost sixty renders at most. A page in the
// background has no frames: there a timer does it.
const backgroundPause = 250;

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
    this.#timer = window.setTimeout(() => this.#run(), backgroundPause);
  }

  /** Does what is waiting at once. */
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
