// When to commit: at once when it was quiet (before the current turn of the event loop ends, so that lines read together
// are stored together), then every 25 ms for as long as something comes. After trouble, at growing intervals.

const WINDOW_MS = 25;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

/** `quiet`: the next entry is committed at once. `leading`: that commit is due. `open`: a timer runs. */
type Phase = "quiet" | "leading" | "open" | "retrying" | "closed";

export class CommitWindow {
  readonly #commit: () => unknown;
  #phase: Phase = "quiet";
  #timer: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #hasMore = false;

  constructor(commit: () => unknown) {
    this.#commit = commit;
  }

  /** Something waits to be committed. */
  open(): void {
    this.#hasMore = true;
    if (this.#phase !== "quiet") return;
    this.#phase = "leading";
    queueMicrotask(() => {
      if (this.#phase === "leading") this.#run();
    });
  }

  /** The commit failed: try again later, and more rarely each time. */
  retry(): void {
    if (this.#phase === "closed") return;
    clearTimeout(this.#timer);
    this.#phase = "retrying";
    this.#timer = setTimeout(() => this.#run(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#phase = "closed";
  }

  #run(): void {
    this.#phase = "open";
    this.#hasMore = false;
    this.#commit();
    if (this.#isTryingAgain()) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#timer = setTimeout(() => this.#end(), WINDOW_MS);
  }

  #end(): void {
    if (this.#hasMore) return this.#run();
    this.#phase = "quiet";
  }

  /** `commit` may have called `retry` or `close`. */
  #isTryingAgain(): boolean {
    return this.#phase === "retrying" || this.#phase === "closed";
  }
}
