// Runs work that can wait: after a pause in the commits, or when there was none for a second; a little at a time. When it
// fails, the next commit schedules it again.

/** The pause that it waits for. */
const quietMs = 60;
/** Without a pause it runs after this long. */
const maxWaitMs = 1000;
/** Between two pieces of work the event loop is free. */
const pauseMs = 10;

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
    if (this.#timer === undefined) this.#wait(quietMs);
    else if (now - this.#waitingSince < maxWaitMs) this.#timer.refresh();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#run(), ms);
    // Unfinished work is done at the next start.
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
    this.#wait(pauseMs);
  }
}
