// Shows one progress line on stderr: only on a terminal, only after a second, and removed when the work is done.

const defaultDelayMs = 1000;

/** For work that blocks the process, so that no timer fires: the line is shown from the start. */
export async function whileShowing<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  using progress = new Progress(text, 0);
  progress.show(text);
  return await work();
}

export class Progress implements Disposable {
  readonly #isShown = process.stderr.isTTY;
  readonly #startedAt = Date.now();
  readonly #delayMs: number;
  readonly #timer: NodeJS.Timeout;
  #text: string;
  #isDrawn = false;

  constructor(text: string, delayMs = defaultDelayMs) {
    this.#text = text;
    this.#delayMs = delayMs;
    this.#timer = setInterval(() => this.#draw(), 1000);
    this.#timer.unref();
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#isDrawn) process.stderr.write("\r\x1b[K");
    this.#isDrawn = false;
  }

  #draw(): void {
    const passed = Date.now() - this.#startedAt;
    if (!this.#isShown || passed < this.#delayMs) return;
    this.#isDrawn = true;
    const line = `${this.#text}${passed < 1000 ? "" : ` (${Math.floor(passed / 1000)} s)`}`;
    process.stderr.write(`\r\x1b[K${line.slice(0, Math.max(1, (process.stderr.columns ?? 80) - 1))}`);
  }
}
