// One line on stderr that says what takes so long: only on a terminal, only after a second, and gone when the work is done.

const patienceMilliseconds = 1000;

export class Progress implements Disposable {
  readonly #isShown = process.stderr.isTTY;
  readonly #begun = Date.now();
  readonly #timer: NodeJS.Timeout;
  #text: string;
  #isDrawn = false;

  constructor(text: string) {
    this.#text = text;
    this.#timer = setInterval(() => this.#draw(), patienceMilliseconds);
    this.#timer.unref();
  }

  say(text: string): void {
    this.#text = text;
    this.#draw();
  }

  /** For work that keeps this thread busy, so that no timer fires meanwhile. */
  showNow(): void {
    this.#write(this.#text);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#isDrawn) process.stderr.write("\r\x1b[K");
    this.#isDrawn = false;
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#begun) / 1000);
    if (seconds >= 1) this.#write(`${this.#text} (${seconds} s)`);
  }

  #write(line: string): void {
    if (!this.#isShown) return;
    this.#isDrawn = true;
    process.stderr.write(`\r\x1b[K${line.slice(0, Math.max(1, (process.stderr.columns ?? 80) - 1))}`);
  }
}
