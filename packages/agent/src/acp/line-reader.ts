// Splits a stream of bytes into lines. A line may come in many pieces; one that is too long is dropped and reported.

export type Line =
  | { readonly type: "line"; readonly text: string }
  /** With its first letters, which may say whose it is. */
  | { readonly type: "too_long"; readonly start: string };

/** As much as the official SDK takes. */
const maxLineBytes = 32 * 1024 * 1024;
const startBytes = 256;

export class LineReader {
  #pieces: Buffer[] = [];
  #length = 0;
  /** Of a line that is too long. */
  #start: Buffer | undefined;

  *push(bytes: Buffer): Iterable<Line> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#add(bytes.subarray(start, end));
      start = end + 1;
      yield* this.#line();
    }
    this.#add(bytes.subarray(start));
  }

  /** What came after the last line's end. */
  *end(): Iterable<Line> {
    yield* this.#line();
  }

  #add(piece: Buffer): void {
    if (piece.length === 0 || this.#start !== undefined) return;
    this.#length += piece.length;
    if (this.#length > maxLineBytes) {
      this.#start = Buffer.concat([...this.#pieces, piece], startBytes);
      this.#pieces = [];
    } else this.#pieces.push(piece);
  }

  *#line(): Iterable<Line> {
    const [pieces, start] = [this.#pieces, this.#start];
    this.#pieces = [];
    this.#length = 0;
    this.#start = undefined;
    if (start !== undefined) yield { type: "too_long", start: start.toString("utf8") };
    else if (pieces.length > 0) {
      const text = Buffer.concat(pieces).toString("utf8").trim();
      if (text !== "") yield { type: "line", text };
    }
  }
}
