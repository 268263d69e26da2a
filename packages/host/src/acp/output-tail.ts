// This module keeps the end of a command's output, at most so many bytes, in whole characters.

export class OutputTail {
  readonly #limit: number;
  #text = "";
  #truncated = false;

  constructor(byteLimit: number) {
    this.#limit = byteLimit;
  }

  append(text: string): void {
    this.#text += text;
    // Truncating copies what is kept: it grows to twice the limit first.
    if (this.#text.length > this.#limit * 2) this.#truncate();
  }

  read(): { output: string; truncated: boolean } {
    this.#truncate();
    return { output: this.#text, truncated: this.#truncated };
  }

  #truncate(): void {
    const bytes = Buffer.from(this.#text);
    if (bytes.length <= this.#limit) return;
    let start = bytes.length - this.#limit;
    while (start < bytes.length && isInsideCharacter(bytes[start] ?? 0)) start++;
    this.#text = bytes.toString("utf8", start);
    this.#truncated = true;
  }
}

/** UTF-8: every byte of a character but its first begins with the bits 10. */
function isInsideCharacter(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
