// Splits bytes into lines. A line may come in many pieces and a piece may hold many lines. A very long line is gathered in memory
// that grows in place, so that neither pieces nor copies of it wait for the garbage collector.

const newline = 0x0a;
/** From here on the pieces of a line are gathered in one place. */
const longBytes = 1024 * 1024;
const stepBytes = 4 * 1024 * 1024;
/** So much of a line that is too long is reported: it may say whose it is. */
const startBytes = 256;

export class LineSplitter {
  readonly #onLine: (line: Buffer) => void;
  readonly #limit: number;
  readonly #onTooLong: ((start: Buffer) => void) | undefined;
  /** The rest of a line that is too long is dropped. */
  #isDropping = false;
  /** The beginning of a line whose end has not come; of a very long one, gathered. */
  #pieces: Buffer[] = [];
  #gathered: ArrayBuffer | undefined;
  #size = 0;

  /**
   * `onLine` gets lines that are not empty. A line of more than `limit` bytes is dropped, and its beginning is reported to `onTooLong` as soon as
   * that is known; without that it throws: the other side is broken or hostile.
   */
  constructor(limit: number, onLine: (line: Buffer) => void, onTooLong?: (start: Buffer) => void) {
    this.#onTooLong = onTooLong;
    this.#limit = limit;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#end(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The stream ended: what is left is a line too. */
  end(): void {
    if (this.#size > 0) this.#end(Buffer.alloc(0));
  }

  #add(piece: Buffer): void {
    if (this.#isDropping) return;
    const before = this.#size;
    this.#size += piece.length;
    if (this.#size > this.#limit) return this.#drop(piece);
    if (this.#size <= longBytes) {
      this.#pieces.push(piece);
      return;
    }
    // Only address space; memory comes with each step.
    const gathered = (this.#gathered ??= new ArrayBuffer(0, { maxByteLength: this.#limit }));
    if (this.#size > gathered.byteLength) {
      gathered.resize(Math.min(Math.ceil(this.#size / stepBytes) * stepBytes, this.#limit));
    }
    let at = before - this.#pieces.reduce((size, waiting) => size + waiting.length, 0);
    for (const part of [...this.#pieces.splice(0), piece]) {
      new Uint8Array(gathered, at, part.length).set(part);
      at += part.length;
    }
  }

  #drop(last: Buffer): void {
    const gathered = this.#gathered === undefined ? [] : [Buffer.from(this.#gathered)];
    const start = Buffer.concat([...gathered, ...this.#pieces, last].map((part) => part.subarray(0, startBytes)));
    this.#isDropping = true;
    this.#pieces = [];
    this.#gathered = undefined;
    this.#size = 0;
    if (this.#onTooLong === undefined) throw new RangeError(`a line of more than ${this.#limit} bytes`);
    this.#onTooLong(start.subarray(0, startBytes));
  }

  #end(piece: Buffer): void {
    if (this.#isDropping) {
      this.#isDropping = false;
      return;
    }
    const isWhole = this.#size === 0 && piece.length <= Math.min(longBytes, this.#limit);
    if (!isWhole) this.#add(piece);
    if (this.#isDropping) {
      this.#isDropping = false;
      return;
    }
    const line = isWhole ? piece : this.#line();
    this.#pieces = [];
    this.#gathered = undefined;
    this.#size = 0;
    if (line.length > 0) this.#onLine(line);
  }

  #line(): Buffer {
    if (this.#gathered === undefined) return Buffer.concat(this.#pieces);
    return Buffer.from(this.#gathered, 0, this.#size);
  }
}
