// Cuts a stream of bytes into lines. A line may come in many pieces; one that is too long is dropped, and told.

export type Line = { readonly type: "line"; readonly text: string } | { readonly type: "too_long" };

/** As much as the official SDK takes. */
const longestLine = 32 * 1024 * 1024;

export class LineReader {
  #pieces: Buffer[] = [];
  #length = 0;
  #skipping = false;

  *push(bytes: Buffer): Iterable<Line> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#take(bytes.subarray(start, end));
      start = end + 1;
      yield* this.#line();
    }
    this.#take(bytes.subarray(start));
  }

  /** What came after the last line's end. */
  *end(): Iterable<Line> {
    yield* this.#line();
  }

  #take(piece: Buffer): void {
    if (piece.length === 0 || this.#skipping) return;
    this.#length += piece.length;
    if (this.#length > longestLine) {
      this.#skipping = true;
      this.#pieces = [];
    } else this.#pieces.push(piece);
  }

  *#line(): Iterable<Line> {
    const [pieces, skipped] = [this.#pieces, this.#skipping];
    this.#pieces = [];
    this.#length = 0;
    this.#skipping = false;
    if (skipped) yield { type: "too_long" };
    else if (pieces.length > 0) {
      const text = Buffer.concat(pieces).toString("utf8").trim();
      if (text !== "") yield { type: "line", text };
    }
  }
}
