// Gives the lines of a stream as texts, and reports one that is too long as soon as it is, with its first letters.
import { LineSplitter } from "@signalbox/sandbox/lines";

export type Line =
  | { readonly type: "line"; readonly text: string }
  /** With its first letters, which may say whose it is. */
  | { readonly type: "too_long"; readonly start: string };

/** As much as ACP's official SDK takes. */
const sdkMaxBytes = 32 * 1024 * 1024;

export class LineReader {
  readonly #splitter: LineSplitter;
  #found: Line[] = [];

  constructor(maxBytes: number = sdkMaxBytes) {
    this.#splitter = new LineSplitter(
      maxBytes,
      (line) => {
        const text = line.toString("utf8").trim();
        if (text !== "") this.#found.push({ type: "line", text });
      },
      (start) => this.#found.push({ type: "too_long", start: start.toString("utf8") }),
    );
  }

  push(bytes: Buffer): readonly Line[] {
    this.#splitter.push(bytes);
    return this.#found.splice(0);
  }

  /** Returns the rest after the last line end. */
  end(): readonly Line[] {
    this.#splitter.end();
    return this.#found.splice(0);
  }
}
