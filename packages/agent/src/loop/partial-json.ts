// Reads JSON that is still being written, as far as it is there. For showing, never for running.

/** The value so far; undefined while there is nothing to show, or when it is no JSON. */
export function partialJson(text: string): unknown {
  return new Reader(text).value();
}

const nothing = Symbol("nothing");

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    const value = this.#value();
    return value === nothing ? undefined : value;
  }

  #value(): unknown {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object();
      case "[":
        return this.#list();
      case '"':
        return this.#string().text;
      default:
        return this.#word();
    }
  }

  #object(): object {
    const entries: [string, unknown][] = [];
    this.#at++;
    for (;;) {
      this.#skip(",");
      if (this.#text[this.#at] !== '"') break;
      const name = this.#string();
      if (!name.complete || !this.#skip(":")) break;
      const value = this.#value();
      if (value === nothing) break;
      entries.push([name.text, value]);
    }
    this.#skip("}");
    return Object.fromEntries(entries);
  }

  #list(): readonly unknown[] {
    const items: unknown[] = [];
    this.#at++;
    for (;;) {
      this.#skip(",");
      const value = this.#value();
      if (value === nothing) break;
      items.push(value);
    }
    this.#skip("]");
    return items;
  }

  #string(): { text: string; complete: boolean } {
    const start = ++this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === "\\") this.#at++;
      else if (this.#text[this.#at] === '"') {
        return { text: unescaped(this.#text.slice(start, this.#at++)), complete: true };
      }
    }
    return { text: unescaped(this.#text.slice(start).replace(/\\(?:u[\da-f]{0,3})?$/i, "")), complete: false };
  }

  /** A number, true, false or null. At the very end of the text it may go on, and is nothing yet. */
  #word(): unknown {
    const [word = ""] = /^[\w+.-]+/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? [];
    this.#at += word.length;
    if (word === "" || this.#at >= this.#text.length) return nothing;
    try {
      return JSON.parse(word);
    } catch {
      return nothing;
    }
  }

  #skip(letter: string): boolean {
    this.#skipSpace();
    const found = this.#text[this.#at] === letter;
    if (found) this.#at++;
    this.#skipSpace();
    return found;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

function unescaped(inside: string): string {
  try {
    return String(JSON.parse(`"${inside}"`));
  } catch {
    return inside;
  }
}
