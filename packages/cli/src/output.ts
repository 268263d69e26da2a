// What a command prints: to stdout as long as somebody reads it, coloured and fitted only where it is a terminal.
import { coloured, type Look, plain } from "@signalbox/host";

/** Below this many columns nothing can be laid out. */
const narrowest = 20;

export class Output {
  readonly look: Look;
  #isRead = true;
  readonly #onUnread: (() => void)[] = [];

  constructor() {
    this.look = lookOf(process.stdout);
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      this.#isRead = false;
      for (const tell of this.#onUnread.splice(0)) tell();
    });
    // A reader of messages who is gone misses nothing.
    process.stderr.on("error", () => {});
  }

  /** False once nobody reads any more (`| head`): then there is no reason to go on. */
  get isRead(): boolean {
    return this.#isRead;
  }

  onceUnread(tell: () => void): void {
    this.#onUnread.push(tell);
  }

  write(text: string): void {
    if (this.#isRead && text !== "") process.stdout.write(text);
  }

  line(text: string): void {
    this.write(`${text}\n`);
  }

  /** Everything there is, or as much of it as is read; waits for a slow reader, so that nothing piles up. */
  async all(pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
    for await (const piece of pieces) {
      if (!this.#isRead) return;
      if (piece === "" || process.stdout.write(piece)) continue;
      await new Promise<void>((resolve) => {
        process.stdout.once("drain", resolve);
        this.onceUnread(resolve);
      });
    }
  }
}

/** What is no terminal has no `isTTY` at all. */
export function lookOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): Look {
  const isTerminal = stream.isTTY === true;
  const { NO_COLOR, TERM } = process.env;
  const inColour = isTerminal && (NO_COLOR ?? "") === "" && TERM !== "dumb";
  return {
    isTerminal,
    width: isTerminal ? Math.max(narrowest, stream.columns ?? 80) : Number.POSITIVE_INFINITY,
    paint: inColour ? coloured : plain,
    now: Date.now(),
  };
}
