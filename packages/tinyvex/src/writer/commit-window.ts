// Decides when to commit. After a pause: before the current iteration of the event loop ends, so that lines read together are stored together.
// Then every 25 ms while entries come, sooner for a fast stream. After an error: at growing intervals.

const windowMs = 25;
/** A window can close this early when it has enough entries for a commit, and not so many that it is a flood. */
const earlyMs = 5;
const briskFrom = 8;
const briskTo = 200;
/** Where a client waits for each entry, every window is this short; a commit of so many entries is worth while however soon it comes. */
const eagerMs = 2;
const eagerTo = 2000;
const firstRetryMs = 50;
const maxRetryMs = 2000;

/** `quiet`: the next entry starts a commit. `leading`: that commit is due. `open`: a timer runs. */
type Phase = "quiet" | "leading" | "open" | "retrying" | "closed";

export class CommitWindow {
  readonly #commit: () => unknown;
  readonly #isEager: () => boolean;
  #phase: Phase = "quiet";
  #timer: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;
  /** Entries since the last commit. */
  #waiting = 0;

  /** `isEager`: whether a client gets each entry as it was sent, and should get it soon. */
  constructor(commit: () => unknown, isEager: () => boolean = () => false) {
    this.#isEager = isEager;
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
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs);
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
    this.#retryMs = firstRetryMs;
    this.#timer = setTimeout(() => this.#endEarly(), this.#isEager() ? eagerMs : earlyMs);
  }

  #endEarly(): void {
    const [from, to] = this.#isEager() ? [0, eagerTo] : [briskFrom, briskTo];
    if (this.#waiting >= from && this.#waiting <= to) return this.#end();
    this.#timer = setTimeout(() => this.#end(), windowMs - earlyMs);
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
