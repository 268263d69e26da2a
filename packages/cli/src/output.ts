// Writes to stdout until its reader closes it. Output is coloured and fitted to the width only on a terminal.
import { coloured, type Layout, plain } from "@signalbox/reports";

/** Narrower terminals are treated as this wide. */
const minWidth = 20;

export class Output {
  readonly layout: Layout;
  #isOpen = true;
  readonly #onClosed: (() => void)[] = [];

  constructor() {
    this.layout = chooseLayout(process.stdout);
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      this.#isOpen = false;
      for (const listener of this.#onClosed.splice(0)) listener();
    });
    // A closed stderr is no reason to fail.
    process.stderr.on("error", () => {});
  }

  /** False once the reader has closed the pipe (`| head`). */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  onceClosed(listener: () => void): void {
    this.#onClosed.push(listener);
  }

  write(text: string): void {
    if (this.#isOpen && text !== "") process.stdout.write(text);
  }

  line(text: string): void {
    this.write(`${text}\n`);
  }

  /** Writes every piece until the reader closes the pipe. Waits for a slow reader, so that memory does not grow. */
  async all(pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
    for await (const piece of pieces) {
      if (!this.#isOpen) return;
      if (piece === "" || process.stdout.write(piece)) continue;
      await new Promise<void>((resolve) => {
        process.stdout.once("drain", resolve);
        this.onceClosed(resolve);
      });
    }
  }
}

/** A stream that is no terminal has no `isTTY`. */
export function chooseLayout(stream: { readonly isTTY?: boolean; readonly columns?: number }): Layout {
  const isTerminal = stream.isTTY === true;
  const { NO_COLOR, TERM } = process.env;
  const inColour = isTerminal && (NO_COLOR ?? "") === "" && TERM !== "dumb";
  return {
    isTerminal,
    width: isTerminal ? Math.max(minWidth, stream.columns ?? 80) : Number.POSITIVE_INFINITY,
    paint: inColour ? coloured : plain,
    now: Date.now(),
  };
}
