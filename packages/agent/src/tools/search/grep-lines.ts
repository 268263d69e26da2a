// What ripgrep prints, line by line, as path:line:text: only of files whose path is wanted, and only up to a bound.

export class GrepLines {
  readonly #isNames: boolean;
  readonly #isWanted: (path: string) => boolean;
  readonly #most: number;
  readonly #lines: string[] = [];
  #rest = "";

  /** With --null a zero byte follows each path. `isNames`: there is nothing but paths. */
  constructor(isNames: boolean, isWanted: (path: string) => boolean, most: number) {
    this.#isNames = isNames;
    this.#isWanted = isWanted;
    this.#most = most;
  }

  /** False when it has enough. */
  add(text: string): boolean {
    const parts = (this.#rest + text).split(this.#isNames ? "\0" : "\n");
    this.#rest = parts.pop() ?? "";
    for (const part of parts) this.#take(part);
    return this.#lines.length <= this.#most;
  }

  finish(): string {
    if (this.#rest !== "") this.#take(this.#rest);
    const lines = this.#lines.slice(0, this.#most);
    if (lines.at(-1) === "--") lines.pop();
    if (this.#lines.length > this.#most) lines.push(`[more than ${this.#most} lines: narrow the search]`);
    return lines.join("\n");
  }

  #take(part: string): void {
    if (this.#lines.length > this.#most) return;
    if (part === "--") {
      // Stands between groups; one whose group was left out stands between nothing.
      if (this.#lines.length > 0 && this.#lines.at(-1) !== "--") this.#lines.push(part);
      return;
    }
    const end = this.#isNames ? part.length : part.indexOf("\0");
    const path = part.slice(0, Math.max(0, end)).replace(/^\.\//, "");
    if (path === "" || !this.#isWanted(path)) return;
    const rest = this.#isNames ? "" : part.slice(end + 1);
    // A match is 12:text, a line around it 12-text; the path gets the same sign.
    this.#lines.push(this.#isNames ? path : `${path}${/^\d+-/.test(rest) ? "-" : ":"}${rest}`);
  }
}
