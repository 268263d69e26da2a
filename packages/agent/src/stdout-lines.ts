// Writes ACP messages to stdout. Nothing else writes there: what other code prints goes to stderr. Lines of the same moment are written
// together, which is cheaper for both sides.

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
