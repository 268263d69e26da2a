// Keeps both ends of a command's output in memory and counts the rest: what matters most often stands at the end. A caller that needs all
// of it passes `onOutput`.

export interface CapturedOutput {
  /** The output. Of more than four megabytes the middle is left out, and a line says so (`truncated`). */
  readonly text: string;
  readonly truncated: boolean;
  /** How much the command wrote, kept or not. */
  readonly bytes: number;
}

const maxBeginning = 1024 * 1024;
const maxEnd = 3 * 1024 * 1024;

export class OutputEnds implements CapturedOutput {
  readonly #beginning: Buffer[] = [];
  #beginningBytes = 0;
  #end: Buffer[] = [];
  #endBytes = 0;
  #bytes = 0;
  #text: string | undefined;

  append(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const first = chunk.subarray(0, maxBeginning - this.#beginningBytes);
    if (first.length > 0) {
      this.#beginning.push(first);
      this.#beginningBytes += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.#end.push(rest);
    this.#endBytes += rest.length;
    // Twice the limit, so that a flood of small chunks is not copied for each of them.
    if (this.#endBytes > 2 * maxEnd) this.#dropMiddle();
  }

  get bytes(): number {
    return this.#bytes;
  }

  get truncated(): boolean {
    return this.#bytes > maxBeginning + maxEnd;
  }

  get text(): string {
    this.#text ??= this.truncated ? this.#withGap() : decode(Buffer.concat([...this.#beginning, ...this.#end]));
    return this.#text;
  }

  #withGap(): string {
    this.#dropMiddle();
    // As a stream, so that half a character at the end is left out and not shown as an error.
    const beginning = new TextDecoder("utf-8").decode(Buffer.concat(this.#beginning), { stream: true });
    const leftOut = this.#bytes - this.#beginningBytes - this.#endBytes;
    return `${beginning}\n[${leftOut} bytes are left out here]\n${decode(fromCharacter(Buffer.concat(this.#end)))}`;
  }

  #dropMiddle(): void {
    this.#end = [Buffer.from(Buffer.concat(this.#end).subarray(-maxEnd))];
    this.#endBytes = Math.min(this.#endBytes, maxEnd);
  }
}

function decode(bytes: Buffer): string {
  return new TextDecoder("utf-8").decode(bytes);
}

/** Without the rest of a character that began before. */
function fromCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
