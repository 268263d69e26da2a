// Passes the lines of an agent on in their order, where some take a while: what the agent writes meanwhile waits in its pipe.

interface Source {
  pause(): unknown;
  resume(): unknown;
}

export class LineQueue {
  readonly #source: Source;
  readonly #handle: (line: Buffer) => Promise<void> | undefined;
  readonly #fail: (error: unknown) => void;
  /** The lines behind the one that is being handled: those that came with it. */
  readonly #waiting: Buffer[] = [];
  #running: Promise<void> | undefined;
  #hasFailed = false;

  /** `handle` gives a promise where it needs time. `fail` gets what it throws, after which no line is handled any more. */
  constructor(source: Source, handle: (line: Buffer) => Promise<void> | undefined, fail: (error: unknown) => void) {
    this.#source = source;
    this.#handle = handle;
    this.#fail = fail;
  }

  /** Whether a line is being handled. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  push(line: Buffer): void {
    if (this.#running !== undefined) this.#waiting.push(line);
    else this.#handleNow(line);
  }

  /** Resolves when every line that was pushed is handled. */
  async waitUntilIdle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #handleNow(line: Buffer): void {
    if (this.#hasFailed) return;
    try {
      const running = this.#handle(line);
      if (running !== undefined) this.#running = this.#wait(running);
    } catch (error) {
      this.#stopHandling(error);
    }
  }

  async #wait(first: Promise<void>): Promise<void> {
    this.#source.pause();
    try {
      await first;
    } catch (error) {
      this.#stopHandling(error);
    }
    this.#running = undefined;
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      this.#handleNow(line);
      if (this.isBusy) return;
    }
    this.#source.resume();
  }

  #stopHandling(error: unknown): void {
    this.#hasFailed = true;
    this.#waiting.length = 0;
    this.#fail(error);
  }
}
