// Splits a stream of bytes into lines. A line may come in many pieces; one that is too long is reported as soon as it is, and dropped.

export type Line =
  | { readonly type: "line"; readonly text: string }
  /** With its first letters, which may say whose it is. */
  | { readonly type: "too_long"; readonly start: string };

/** As much as ACP's official SDK takes. */
const sdkMaxBytes = 32 * 1024 * 1024;
const startBytes = 256;

export class LineReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;
  #isDropping = false;

  constructor(maxBytes: number = sdkMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  *push(bytes: Buffer): Iterable<Line> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield* this.#add(bytes.subarray(start, end));
      start = end + 1;
      yield* this.#line();
    }
    yield* this.#add(bytes.subarray(start));
  }

  /** What came after the last line's end. */
  *end(): Iterable<Line> {
    yield* this.#line();
  }

  *#add(piece: Buffer): Iterable<Line> {
    if (piece.length === 0 || this.#isDropping) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length <= this.#maxBytes) return;
    const start = Buffer.concat(this.#pieces, Math.min(this.#length, startBytes)).toString("utf8");
    this.#pieces = [];
    this.#isDropping = true;
    yield { type: "too_long", start };
  }

  *#line(): Iterable<Line> {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    this.#isDropping = false;
    const text = Buffer.concat(pieces).toString("utf8").trim();
    if (text !== "") yield { type: "line", text };
  }
}
