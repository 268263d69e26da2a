// Bytes in, whole lines out. A line may come in many pieces and a piece may hold many lines. The pieces of a long line are decoded as
// they come, so that its bytes need not be kept beside its text.
import { StringDecoder } from "node:string_decoder";

const newline = 0x0a;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  readonly #decoder = new StringDecoder("utf8");
  /** The beginning of a line whose end has not come. */
  #text = "";
  #size = 0;

  /** A line of more than `limit` bytes throws: the other side is broken or hostile. */
  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#end(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#begin(chunk.subarray(start));
  }

  /** The stream ended: what is left is a line too. */
  end(): void {
    if (this.#size > 0) this.#end(Buffer.alloc(0));
  }

  #begin(piece: Buffer): void {
    this.#count(piece);
    this.#text += this.#decoder.write(piece);
  }

  #end(piece: Buffer): void {
    const isWhole = this.#size === 0;
    this.#count(piece);
    const line = isWhole ? piece.toString("utf8") : this.#text + this.#decoder.end(piece);
    this.#text = "";
    this.#size = 0;
    if (line.trim() !== "") this.#onLine(line);
  }

  #count(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw new RangeError(`a line of more than ${this.#limit} bytes`);
  }
}
