// Work that can wait, done a little at a time between other things, and given up for now when it fails.

/** After a commit others come soon; between two pieces of work the event loop is free. */
const FIRST_PAUSE_MS = 50;
const NEXT_PAUSE_MS = 10;

export class IdleWork {
  readonly #work: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `work` does a little and says whether there is more. */
  constructor(work: () => boolean) {
    this.#work = work;
  }

  schedule(pauseMs = FIRST_PAUSE_MS): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#run(), pauseMs);
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
    if (isMore) this.schedule(NEXT_PAUSE_MS);
  }
}
