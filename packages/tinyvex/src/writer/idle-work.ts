// Work that can wait, done a little at a time between other things, and given up for now when it fails.

const PAUSE_MS = 5;

export class IdleWork {
  readonly #work: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `work` does a little and says whether there is more. */
  constructor(work: () => boolean) {
    this.#work = work;
  }

  schedule(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#run(), PAUSE_MS);
    // What is left is done at the next start.
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#timer = undefined;
    let isMore = false;
    try {
      isMore = this.#work();
    } catch {
      // The next commit schedules it again.
    }
    if (isMore) this.schedule();
  }
}
