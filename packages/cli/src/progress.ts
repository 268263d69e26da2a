// One line on stderr that says what takes so long: only on a terminal, only after a second, and gone when the work is done.

const patienceMilliseconds = 1000;

/** For work that keeps this thread busy, so that no timer fires meanwhile: the line stands from the beginning. */
export async function whileShowing<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  using progress = new Progress(text, 0);
  progress.say(text);
  return await work();
}

export class Progress implements Disposable {
  readonly #isShown = process.stderr.isTTY;
  readonly #begun = Date.now();
  readonly #patience: number;
  readonly #timer: NodeJS.Timeout;
  #text: string;
  #isDrawn = false;

  constructor(text: string, patience = patienceMilliseconds) {
    this.#text = text;
    this.#patience = patience;
    this.#timer = setInterval(() => this.#draw(), 1000);
    this.#timer.unref();
  }

  say(text: string): void {
    this.#text = text;
    this.#draw();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#isDrawn) process.stderr.write("\r\x1b[K");
    this.#isDrawn = false;
  }

  #draw(): void {
    const passed = Date.now() - this.#begun;
    if (!this.#isShown || passed < this.#patience) return;
    this.#isDrawn = true;
    const line = `${this.#text}${passed < 1000 ? "" : ` (${Math.floor(passed / 1000)} s)`}`;
    process.stderr.write(`\r\x1b[K${line.slice(0, Math.max(1, (process.stderr.columns ?? 80) - 1))}`);
  }
}
