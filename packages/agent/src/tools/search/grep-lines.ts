// Collects the lines that ripgrep prints as path:line:text, of the wanted files and up to a limit.

export class GrepLines {
  readonly #isNames: boolean;
  readonly #isWanted: (path: string) => boolean;
  readonly #maxLines: number;
  readonly #lines: string[] = [];
  #rest = "";

  /** With --null a zero byte follows each path. `isNames`: the output has only paths. */
  constructor(isNames: boolean, isWanted: (path: string) => boolean, maxLines: number) {
    this.#isNames = isNames;
    this.#isWanted = isWanted;
    this.#maxLines = maxLines;
  }

  /** False when the limit is reached. */
  add(text: string): boolean {
    const parts = (this.#rest + text).split(this.#isNames ? "\0" : "\n");
    this.#rest = parts.pop() ?? "";
    for (const part of parts) this.#addPart(part);
    return this.#lines.length <= this.#maxLines;
  }

  finish(): string {
    if (this.#rest !== "") this.#addPart(this.#rest);
    const lines = this.#lines.slice(0, this.#maxLines);
    if (lines.at(-1) === "--") lines.pop();
    if (this.#lines.length > this.#maxLines) lines.push(`[more than ${this.#maxLines} lines: narrow the search]`);
    return lines.join("\n");
  }

  #addPart(part: string): void {
    if (this.#lines.length > this.#maxLines) return;
    if (part === "--") {
      // Separates groups. It is left out where its group was left out.
      if (this.#lines.length > 0 && this.#lines.at(-1) !== "--") this.#lines.push(part);
      return;
    }
    const end = this.#isNames ? part.length : part.indexOf("\0");
    const path = part.slice(0, Math.max(0, end)).replace(/^\.\//, "");
    if (path === "" || !this.#isWanted(path)) return;
    const rest = this.#isNames ? "" : part.slice(end + 1);
    // A match is 12:text, a context line 12-text. The path gets the same sign.
    this.#lines.push(this.#isNames ? path : `${path}${/^\d+-/.test(rest) ? "-" : ":"}${rest}`);
  }
}
