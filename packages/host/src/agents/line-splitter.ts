// Bytes in, whole lines out. A line may come in many pieces and a piece may hold many lines; the bytes of a long line are
// joined once, when it is whole.
const newline = 0x0a;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #size = 0;

  /** A line of more than `limit` bytes throws: the other side is broken or hostile. */
  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#take(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  /** The stream ended: what is left is a line too. */
  end(): void {
    if (this.#size > 0) this.#emit();
  }

  #take(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw new RangeError(`a line of more than ${this.#limit} bytes`);
    this.#pieces.push(piece);
  }

  #emit(): void {
    const [first] = this.#pieces;
    const whole = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [];
    this.#size = 0;
    const line = whole.toString("utf8");
    if (line.trim() !== "") this.#onLine(line);
  }
}
