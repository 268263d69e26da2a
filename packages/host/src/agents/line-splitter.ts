// Bytes in, whole lines out. A line may come in many pieces and a piece may hold many lines.
import { GatheredBytes } from "./gathered-bytes.ts";

const newline = 0x0a;
/** From here on the pieces of a line are worth gathering in one place. */
const longBytes = 1024 * 1024;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  /** The beginning of a line whose end has not come; of a very long one, gathered. */
  #pieces: Buffer[] = [];
  #gathered: GatheredBytes | null = null;
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
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  /** The stream ended: what is left is a line too. */
  end(): void {
    if (this.#size > 0) this.#end(Buffer.alloc(0));
  }

  #take(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw new RangeError(`a line of more than ${this.#limit} bytes`);
    if (this.#size <= longBytes) {
      this.#pieces.push(piece);
      return;
    }
    const gathered = (this.#gathered ??= new GatheredBytes(this.#limit));
    for (const waiting of this.#pieces.splice(0)) gathered.add(waiting);
    gathered.add(piece);
  }

  #end(piece: Buffer): void {
    const isWhole = this.#size === 0 && piece.length <= longBytes;
    if (!isWhole) this.#take(piece);
    const line = isWhole
      ? piece.toString("utf8")
      : (this.#gathered?.take() ?? Buffer.concat(this.#pieces).toString("utf8"));
    this.#pieces = [];
    this.#gathered = null;
    this.#size = 0;
    if (line.trim() !== "") this.#onLine(line);
  }
}
