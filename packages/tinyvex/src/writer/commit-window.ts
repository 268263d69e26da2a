// When to commit: at once when it was quiet (before the current turn of the event loop ends, so that lines read together
// are stored together), then every 25 ms for as long as something comes; sooner for a brisk stream, which fills a window
// early and would only be shown later. After trouble, at growing intervals.

const WINDOW_MS = 25;
/** A window may close this early when it holds enough to be worth a row of the log, and not so much that it is a flood. */
const EARLY_MS = 5;
const BRISK_FROM = 8;
const BRISK_TO = 200;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

/** `quiet`: the next entry is committed at once. `leading`: that commit is due. `open`: a timer runs. */
type Phase = "quiet" | "leading" | "open" | "retrying" | "closed";

export class CommitWindow {
  readonly #commit: () => unknown;
  #phase: Phase = "quiet";
  #timer: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  /** Entries since the last commit. */
  #waiting = 0;

  constructor(commit: () => unknown) {
    this.#commit = commit;
  }

  /** Something waits to be committed. */
  open(): void {
    this.#waiting++;
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
    this.#waiting = 0;
    this.#commit();
    if (this.#isTryingAgain()) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#timer = setTimeout(() => this.#endEarly(), EARLY_MS);
  }

  #endEarly(): void {
    if (this.#waiting >= BRISK_FROM && this.#waiting <= BRISK_TO) return this.#run();
    this.#timer = setTimeout(() => this.#end(), WINDOW_MS - EARLY_MS);
  }

  #end(): void {
    if (this.#waiting > 0) return this.#run();
    this.#phase = "quiet";
  }

  /** `commit` may have called `retry` or `close`. */
  #isTryingAgain(): boolean {
    return this.#phase === "retrying" || this.#phase === "closed";
  }
}
