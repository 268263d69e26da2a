// Keeps the beginning of a command's output in memory and counts the rest. A caller that needs all of it passes `onOutput`.

export interface CapturedOutput {
  /** The output, or its first megabyte where there was more (`truncated`). */
  readonly text: string;
  readonly truncated: boolean;
  /** How much the command wrote, kept or not. */
  readonly bytes: number;
}

const maxKeptBytes = 1024 * 1024;

export class OutputBeginning implements CapturedOutput {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #bytes = 0;
  #text: string | undefined;

  append(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const part = chunk.subarray(0, maxKeptBytes - this.#keptBytes);
    if (part.length === 0) return;
    this.#kept.push(part);
    this.#keptBytes += part.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get truncated(): boolean {
    return this.#bytes > this.#keptBytes;
  }

  get text(): string {
    // As a stream, so that half a character at the end is left out and not shown as an error.
    this.#text ??= new TextDecoder("utf-8").decode(Buffer.concat(this.#kept), { stream: this.truncated });
    return this.#text;
  }
}
