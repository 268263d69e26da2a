// Work that can wait: done when nothing was committed for a moment, or when that takes too long, a little at a time, and
// given up for now when it fails.

/** So long nothing else must have happened. */
const QUIET_MS = 60;
/** After this long it is done all the same. */
const LONGEST_WAIT_MS = 1000;
/** Between two pieces of work the event loop is free. */
const PAUSE_MS = 10;

export class IdleWork {
  readonly #work: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #waitingSince: number | null = null;
  #isClosed = false;

  /** `work` does a little and says whether there is more. */
  constructor(work: () => boolean) {
    this.#work = work;
  }

  /** There is something to do, and something else has just been done. */
  schedule(): void {
    const now = performance.now();
    this.#waitingSince ??= now;
    if (this.#timer === undefined) this.#wait(QUIET_MS);
    else if (now - this.#waitingSince < LONGEST_WAIT_MS) this.#timer.refresh();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#run(), ms);
    // What is left is done at the next start.
    this.#timer.unref();
  }

  #run(): void {
    this.#timer = undefined;
    this.#waitingSince = null;
    let isMore = false;
    try {
      isMore = this.#work();
    } catch {
      // The next commit schedules it again.
    }
    if (!isMore) return;
    this.#waitingSince = performance.now();
    this.#wait(PAUSE_MS);
  }
}
