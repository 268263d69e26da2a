// This module reads a shell command line into its simple commands. What could hide another command (substitution, redirection, keywords,
// grouping) makes the line not plain; its commands are then collected as far as they can be seen.

export interface ShellWord {
  /** Without quotes and backslashes. */
  readonly text: string;
  /** False when the shell may put something else in its place: a variable, a wildcard, a home folder. */
  readonly isLiteral: boolean;
  /** The length of what stands before the first quote or backslash; undefined when nothing is quoted. */
  readonly quotedAt: number | undefined;
}

export type ShellCommand = readonly ShellWord[];

interface ShellLine {
  readonly commands: readonly ShellCommand[];
  /** The line is exactly these commands, separated by `;`, `&`, `|` and line ends. */
  readonly isPlain: boolean;
}

/** The rest of a longer line is not read, and such a line is not plain. */
export const maxLineLength = 10_000;

const keywords: ReadonlySet<string> = new Set(
  "! if then elif else fi do done while until for in case esac select function time coproc { } [[ ]]".split(" "),
);

export function readShellLine(line: string): ShellLine {
  const reader = new Reader(line.slice(0, maxLineLength));
  reader.read();
  const hasKeyword = reader.commands.some(([first]) => first !== undefined && isKeyword(first));
  return {
    commands: reader.commands,
    isPlain: reader.isPlain && !hasKeyword && line.length <= maxLineLength && !line.includes("\0"),
  };
}

/** Every piece of the line that could be a command, whatever is quoted: for a line that is not plain. */
export function commandsAnywhere(line: string): readonly ShellCommand[] {
  return line
    .slice(0, maxLineLength)
    .split(/[;&|\n\r(){}`<>"']+/)
    .map((piece) => piece.split(/[\s\\$]+/).filter((text) => text !== ""))
    .filter((words) => words.length > 0)
    .map((words) => words.map((text) => ({ text, isLiteral: true, quotedAt: undefined })));
}

export function isKeyword(word: ShellWord): boolean {
  return word.quotedAt === undefined && keywords.has(word.text);
}

/** `NAME=value` before a command; undefined for any other word. */
export function readAssignment(word: ShellWord): { readonly name: string; readonly value: string } | undefined {
  const [start, name] = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word.text) ?? [];
  if (start === undefined || name === undefined || start.length > (word.quotedAt ?? start.length)) return undefined;
  return { name, value: word.text.slice(start.length) };
}

class Reader {
  readonly commands: ShellCommand[] = [];
  isPlain = true;
  readonly #line: string;
  #at = 0;
  #words: ShellWord[] = [];
  #text: string | undefined;
  #isLiteral = true;
  #quotedAt: number | undefined;
  /** The word that comes next is the target of a redirection. */
  #isTarget = false;

  constructor(line: string) {
    this.#line = line;
  }

  read(): void {
    for (; this.#at < this.#line.length; this.#at++) this.#readLetter(this.#line.charAt(this.#at));
    this.#endCommand();
  }

  #readLetter(letter: string): void {
    const next = this.#line[this.#at + 1];
    switch (letter) {
      case "'":
        return this.#readSingleQuoted();
      case '"':
        return this.#readDoubleQuoted();
      case "\\":
        return this.#readEscaped(next);
      case " ":
      case "\t":
        return this.#endWord();
      case "&":
        // `&>` sends output elsewhere.
        if (next === ">") this.isPlain = false;
        return this.#endCommand();
      case ";":
      case "|":
      case "\n":
        return this.#endCommand();
      case "#":
        return this.#text === undefined ? this.#skipComment() : this.#add(letter);
      case "`":
      case "(":
      case ")":
      case "{":
      case "}":
        this.isPlain = false;
        return this.#endCommand();
      case "<":
      case ">":
        return this.#readRedirection();
      case "$":
        return this.#readDollar(next);
      default:
        if ("*?[~".includes(letter) && !this.#isTestCommand()) this.#isLiteral = false;
        return this.#add(letter);
    }
  }

  #readSingleQuoted(): void {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) this.isPlain = false;
    this.#markQuote();
    this.#add(this.#line.slice(this.#at + 1, end < 0 ? undefined : end));
    this.#at = end < 0 ? this.#line.length : end;
  }

  /** A substitution inside ends the quote here: what follows is read as commands. */
  #readDoubleQuoted(): void {
    this.#markQuote();
    this.#add("");
    for (this.#at++; this.#at < this.#line.length; this.#at++) {
      const letter = this.#line.charAt(this.#at);
      const next = this.#line[this.#at + 1] ?? "";
      if (letter === '"') return;
      if (letter === "`" || (letter === "$" && next === "(")) {
        this.isPlain = false;
        return this.#endCommand();
      }
      if (letter === "$") {
        this.isPlain = false;
        this.#isLiteral = false;
      }
      if (letter === "\\" && '"\\$`\n'.includes(next)) {
        this.#at++;
        this.#add(next === "\n" ? "" : next);
      } else this.#add(letter);
    }
    this.isPlain = false;
  }

  /** A backslash before a line's end joins two lines. Before anything else it takes the letter literally. */
  #readEscaped(next: string | undefined): void {
    this.#at++;
    if (next === undefined) this.isPlain = false;
    else if (next !== "\n") {
      this.#markQuote();
      this.#add(next);
    }
  }

  #readDollar(next: string | undefined): void {
    this.isPlain = false;
    this.#isLiteral = false;
    // `$'…'` and `$"…"` are quotes.
    if (next !== "'" && next !== '"') this.#add("$");
  }

  #readRedirection(): void {
    this.isPlain = false;
    // `2>` names a descriptor.
    if (this.#text !== undefined && /^\d+$/.test(this.#text) && this.#quotedAt === undefined) this.#text = undefined;
    this.#endWord();
    while ("<>&|-".includes(this.#line[this.#at + 1] ?? " ")) this.#at++;
    // `<(` and `>(` run a command.
    this.#isTarget = this.#line[this.#at + 1] !== "(";
  }

  #skipComment(): void {
    const end = this.#line.indexOf("\n", this.#at);
    this.#at = (end < 0 ? this.#line.length : end) - 1;
  }

  /** `[` is a program. */
  #isTestCommand(): boolean {
    return this.#text === undefined && this.#words.length === 0 && /^\[\[?[ \t]/.test(this.#line.slice(this.#at));
  }

  #markQuote(): void {
    this.#quotedAt ??= this.#text?.length ?? 0;
  }

  #add(text: string): void {
    this.#text = (this.#text ?? "") + text;
  }

  #endWord(): void {
    if (this.#text !== undefined && !this.#isTarget) {
      this.#words.push({ text: this.#text, isLiteral: this.#isLiteral, quotedAt: this.#quotedAt });
    }
    if (this.#text !== undefined) this.#isTarget = false;
    this.#text = undefined;
    this.#isLiteral = true;
    this.#quotedAt = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#words = [];
    this.#isTarget = false;
  }
}
