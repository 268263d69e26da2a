// stdout carries ACP and nothing else: from here on only this writes to it, and what others print goes to stderr. Lines that come in the
// same moment leave together, which costs the agent and its client less.

/** More than this does not wait for the end of the moment. */
const maxWaiting = 65_536;

export class StdoutLines {
  readonly #write: (text: string) => boolean;
  #waiting = "";
  #scheduled = false;
  #drained: Promise<void> | undefined;

  constructor(onGone: () => void) {
    const { stdout, stderr } = process;
    this.#write = stdout.write.bind(stdout);
    stdout.write = stderr.write.bind(stderr);
    // A client that closed its end has left.
    stdout.on("error", onGone);
  }

  /** The promise, if there is one, resolves when there is room for more. */
  write(line: string): Promise<void> | undefined {
    this.#waiting += line;
    if (this.#waiting.length > maxWaiting) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.flush());
    }
    return this.#drained;
  }

  /** Sends now what waits. */
  flush(): void {
    this.#scheduled = false;
    const text = this.#waiting;
    if (text === "") return;
    this.#waiting = "";
    if (this.#write(text)) return;
    this.#drained ??= new Promise((resolve) => {
      process.stdout.once("drain", () => {
        this.#drained = undefined;
        resolve();
      });
    });
  }
}
