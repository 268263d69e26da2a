// The bytes of one very long line as they come, in memory that grows in place and is given back at once: neither pieces nor copies of it
// wait for the garbage collector.

const stepBytes = 4 * 1024 * 1024;

export class GatheredBytes {
  readonly #memory: ArrayBuffer;
  #size = 0;

  /** Never more than `limit` bytes. */
  constructor(limit: number) {
    // Only address space; memory comes with each step.
    this.#memory = new ArrayBuffer(0, { maxByteLength: limit });
  }

  add(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (size > this.#memory.byteLength) {
      const wanted = Math.ceil(size / stepBytes) * stepBytes;
      this.#memory.resize(Math.min(wanted, this.#memory.maxByteLength));
    }
    new Uint8Array(this.#memory, this.#size, piece.length).set(piece);
    this.#size = size;
  }

  /** The text, once: the memory is gone afterwards. */
  take(): string {
    const text = Buffer.from(this.#memory, 0, this.#size).toString("utf8");
    this.#memory.resize(0);
    this.#size = 0;
    return text;
  }
}
